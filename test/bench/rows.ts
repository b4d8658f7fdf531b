import type { Requests } from './requests.ts';
import type { BenchRequest, Stream } from './plan.ts';

/** The servers that the service is compared with. */
export type Rival = 'bare' | 'plain' | 'fastify';

/** A bound that a row must reach; processor time is compared, milliseconds are those of one request. */
export type Target =
  /** Milliseconds of processor time for one request. */
  | { readonly kind: 'cpu'; readonly most: number }
  /** Requests a second on the same core, as a multiple of a rival's. */
  | { readonly kind: 'ratio'; readonly of: Rival; readonly least: number }
  | { readonly kind: 'time'; readonly of: 'p50' | 'p99' | 'worst'; readonly under: number }
  /** Requests a second, where servers wait for the disk rather than work. */
  | { readonly kind: 'rate'; readonly of: 'fastify'; readonly least: number }
  /** The worst wait of another client meanwhile. */
  | { readonly kind: 'others'; readonly under: number }
  | { readonly kind: 'growth'; readonly underMb: number }
  /** The slowest group's median, in milliseconds and as a multiple of the fastest group's. */
  | { readonly kind: 'groups'; readonly under: number; readonly within: number };

/** A row of the table: the requests, how many clients send them, and the targets. */
export interface Row {
  readonly name: string;
  readonly rivals: readonly Rival[];
  /** The first stream is the row's own; the second is another client's meanwhile. */
  readonly streams: readonly Stream[];
  /** Milliseconds that a flush to the disk takes at least. */
  readonly flushMs?: number;
  readonly targets: readonly Target[];
}

const CLIENTS = 32;
const WRITERS = 32;
const VARIETY = 2_000;
const ALL_RIVALS: readonly Rival[] = ['bare', 'plain', 'fastify'];
// It asks whether or not it has been answered, so that no stall hides those behind it.
const OTHERS = { connections: 16, perSecond: 50 };
const EACH_GROUP = 25;
// A slice of 10 ms, and what the other client itself may be late by.
const SLICES: Target = { kind: 'others', under: 25 };

/** Limits of the start until the first list, of the memory at rest and at most, and of the database. */
export interface RestTargets {
  readonly listMs: number;
  readonly idleMb: number;
  readonly mostMb: number;
  readonly databaseMb: number;
}

/** A catalogue with the rows that are measured on it. */
export interface Plan {
  readonly size: number;
  readonly ratings: number;
  readonly rows: (make: Requests) => readonly Row[];
  readonly rest: RestTargets;
}

/** The plan for a catalogue of a usual size. */
export function usualPlan(size: number): Plan {
  return {
    size,
    ratings: 8,
    rows: benchRows,
    rest: { listMs: 700, idleMb: 130, mostMb: 220, databaseMb: 350 },
  };
}

/** The plan for a million restaurants: how long a list takes, and how long others wait for it. */
export const MILLION_PLAN: Plan = {
  size: 1_000_000,
  ratings: 1,
  rest: { listMs: 5_000, idleMb: 450, mostMb: 900, databaseMb: 3_000 },
  rows: (make) => {
    const others: Stream = { ...OTHERS, requests: make.restaurants(VARIETY) };
    const lists = { rivals: [], targets: [{ kind: 'time', of: 'worst', under: 60 } as const, SLICES] };
    const row = (name: string, requests: readonly BenchRequest[]): Row => ({
      name,
      ...lists,
      streams: [{ connections: 1, once: true, requests }, others],
    });
    return [
      row('sort x filter x offset', make.sortedLists(5)),
      row('page of 20 of a category with three food types', make.filteredPages(2_000)),
      row('newest 20 within 5 km', make.circles(2_000, 'newest')),
      row('nearest 20 within 5 km', make.circles(2_000, 'distance')),
      row('search of one to eight words', make.searches(2_000)),
    ];
  },
};

/** The rows. Those that write come last. */
function benchRows(make: Requests): readonly Row[] {
  const others: Stream = { ...OTHERS, requests: make.restaurants(VARIETY) };
  const many = (requests: readonly BenchRequest[]): readonly Stream[] => [{ connections: CLIENTS, requests }];
  const once = (requests: readonly BenchRequest[], connections = 1): Stream => ({
    connections,
    once: true,
    requests,
  });
  const cpu = (most: number): Target => ({ kind: 'cpu', most });
  /** Times the requests a second of the plain app. */
  const plain = (least: number): Target => ({ kind: 'ratio', of: 'plain', least });
  return [
    {
      name: 'one restaurant, each once',
      rivals: ALL_RIVALS,
      streams: [once(make.restaurants(50_000), CLIENTS)],
      targets: [cpu(0.04), plain(1.5)],
    },
    {
      name: 'one restaurant, 2,000 by turns',
      rivals: ALL_RIVALS,
      streams: many(make.restaurants(VARIETY)),
      targets: [cpu(0.04)],
    },
    {
      name: 'the newest page of 20, again and again',
      rivals: ALL_RIVALS,
      streams: many(make.newestPage),
      targets: [cpu(0.035)],
    },
    {
      name: 'page of 20 of a category with three food types',
      rivals: ALL_RIVALS,
      streams: [once(make.filteredPages(20_000), CLIENTS)],
      targets: [cpu(0.12), plain(5)],
    },
    {
      name: 'newest 20 within 5 km',
      rivals: ALL_RIVALS,
      streams: [once(make.circles(20_000, 'newest'), CLIENTS)],
      targets: [cpu(0.2), plain(10)],
    },
    {
      name: 'nearest 20 within 5 km',
      rivals: ALL_RIVALS,
      streams: [once(make.circles(20_000, 'distance'), CLIENTS)],
      targets: [cpu(0.2), plain(10)],
    },
    {
      name: 'nearest 20 open now within 5 km',
      rivals: [],
      streams: [once(make.openCircles(20_000))],
      targets: [{ kind: 'time', of: 'p99', under: 3 }],
    },
    {
      name: 'page of 20 of the 5,000 in the box of a city',
      rivals: ['fastify'],
      streams: [once(make.boxes(4_000))],
      targets: [{ kind: 'time', of: 'p99', under: 10 }],
    },
    {
      name: 'map of the world',
      rivals: [],
      streams: [once(make.worldMaps(4_000)), others],
      targets: [{ kind: 'time', of: 'p99', under: 20 }, SLICES],
    },
    {
      name: 'map of a city of 5,000',
      rivals: [],
      streams: [once(make.cityMaps(4_000))],
      targets: [{ kind: 'time', of: 'p99', under: 10 }],
    },
    {
      name: 'sort x filter x offset',
      rivals: [],
      streams: [once(make.sortedLists(EACH_GROUP))],
      targets: [{ kind: 'groups', under: 3, within: 2 }],
    },
    {
      name: 'search, 20 hits',
      rivals: ['bare', 'plain'],
      streams: [once(make.searches(20_000), CLIENTS)],
      targets: [cpu(0.15)],
    },
    {
      name: 'search of one to eight words',
      rivals: [],
      streams: [once(make.searches(20_000)), others],
      targets: [{ kind: 'time', of: 'p99', under: 10 }, SLICES],
    },
    {
      name: 'search of 21 common words',
      rivals: [],
      streams: [once(make.commonSearches(10_000)), others],
      targets: [{ kind: 'time', of: 'worst', under: 50 }, SLICES],
    },
    {
      name: 'all restaurants',
      rivals: ['fastify'],
      streams: [{ connections: 1, requests: make.allRestaurants }, others],
      targets: [{ kind: 'growth', underMb: 50 }, SLICES],
    },
    {
      name: 'a list by rating right after a rating',
      rivals: [],
      streams: [once(make.readsAfterRatings(10_000))],
      targets: [{ kind: 'time', of: 'p99', under: 10 }],
    },
    {
      name: 'a durable rating, 32 clients',
      rivals: ['plain', 'fastify'],
      streams: [{ connections: WRITERS, requests: make.ratings(20_000) }],
      targets: [cpu(0.11), plain(1.5), { kind: 'time', of: 'p99', under: 20 }],
    },
    {
      name: 'a durable rating, 32 clients, a flush takes 2 ms',
      rivals: ['fastify'],
      streams: [{ connections: WRITERS, requests: make.ratings(20_000) }],
      flushMs: 2,
      targets: [{ kind: 'rate', of: 'fastify', least: 8 }],
    },
  ];
}
