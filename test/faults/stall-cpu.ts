import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { FORM_TYPE, form } from '../support/photos.ts';
import { filePart } from '../support/imports.ts';
import { ATTACK, type Fault, PHASE_MS, type Statuses } from './stall-target.ts';
import { ask } from './support.ts';

// Work for the processor: opening hours that are made to be costly, and bursts of sorted lists.

const ATTACKER = '127.0.0.3';
const HOSTILE_PLACES = 600;
const LISTS = 20;
const LONG_HOURS = `Jan-Nov 00:00-24:00;${closedMinutes(62)}`;
// As much as is understood.
const MOST_HOURS = `Jan-Nov 00:00-24:00;${closedMinutes(23)}`;

function closedMinutes(count: number): string {
  const clock = (minutes: number): string =>
    `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
  return Array.from({ length: count }, (_, at) => `${clock(21 * at)}-${clock(21 * at + 1)} off`).join(';');
}

const SORTED: readonly ((index: number) => string)[] = [
  (index) => `lat=${index / 1e3}&lng=1`,
  () => 'sort=name&status=active',
  (index) => `sort=rating&lat=${index / 1e3}&lng=1`,
  (index) => `lat=${index / 1e3}&lng=1&radius=19000&sort=name`,
];

let asked = 0;

async function openLists(port: number, hours: string): Promise<Statuses> {
  const lines = Array.from({ length: HOSTILE_PLACES }, (_, index) =>
    JSON.stringify({ name: `Hours ${asked} ${index}`, opening_hours: hours, time_zone: 'Europe/Paris' }),
  );
  const { status } = await ask(port, '/api/imports', {
    method: 'POST',
    headers: { 'Content-Type': FORM_TYPE },
    body: form(filePart(lines.join('\n'), 'hours.ndjson')),
    localAddress: ATTACKER,
  });
  const statuses: Record<string, number> = { [`import ${status}`]: 1 };
  const until = performance.now() + PHASE_MS;
  while (performance.now() < until) {
    const burst = Array.from({ length: 10 }, () => {
      asked += 1;
      const minute = String(asked % 60).padStart(2, '0');
      const at = `2026-10-25T0${asked % 2}:${minute}Z`;
      return ask(port, `/api/restaurants?open_at=${at}&limit=1`, { localAddress: ATTACKER });
    });
    for (const answer of await Promise.all(burst))
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    await pause(2_000);
  }
  return statuses;
}

/** Lists whose client hangs up before or while they are sorted. */
async function sortedLists(port: number): Promise<Statuses> {
  const until = performance.now() + PHASE_MS;
  const first = asked;
  while (performance.now() < until) {
    const sockets = Array.from({ length: LISTS }, () => {
      asked += 1;
      const query = SORTED[asked % SORTED.length]?.(asked) ?? '';
      const socket = connect({ port, host: '127.0.0.1', localAddress: ATTACKER });
      socket.on('error', () => undefined);
      socket.write(`GET /api/restaurants?${query} HTTP/1.1\r\nHost: x\r\n\r\n`);
      return socket;
    });
    await pause(300);
    for (const socket of sockets) socket.destroy();
    await pause(1_700);
  }
  return { hungUp: asked - first };
}

export const CPU_FAULTS: readonly Fault[] = [
  {
    ...{ name: 'lists by hostile opening hours', bounds: ATTACK },
    work: ({ port }) => openLists(port, LONG_HOURS),
  },
  {
    ...{ name: 'lists by the longest opening hours that are understood', bounds: ATTACK },
    work: ({ port }) => openLists(port, MOST_HOURS),
  },
  {
    ...{ name: 'bursts of all kinds of sorted lists', bounds: ATTACK },
    work: ({ port }) => sortedLists(port),
  },
];
