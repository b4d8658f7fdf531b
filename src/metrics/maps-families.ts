import { type Family, labelled, single } from './exposition.ts';

/** The maps provider as its client sees it. */
export interface MapsState {
  readonly isLeftAlone: boolean;
  /** How many calls ended how since the start. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** The calls of this UTC day and how many it may have; undefined without a limit, when nobody counts them. */
  readonly budget: { readonly calls: number; readonly limit: number } | undefined;
}

/** How the maps provider does, and what of its budget is spent. */
export function mapsFamilies({ isLeftAlone, outcomes, budget }: MapsState): readonly Family[] {
  return [
    labelled(
      'catalogue_maps_calls_total',
      'counter',
      'Calls of the maps provider by how they ended.',
      'outcome',
      outcomes,
    ),
    single(
      'catalogue_maps_calls_today',
      'gauge',
      'Calls of the maps provider that count against the limit of this UTC day.',
      budget?.calls,
    ),
    single(
      'catalogue_maps_calls_limit',
      'gauge',
      'Calls of the maps provider that a UTC day may have.',
      budget?.limit,
    ),
    single(
      'catalogue_maps_left_alone',
      'gauge',
      'Whether the maps provider is left alone after failures.',
      Number(isLeftAlone),
    ),
  ];
}
