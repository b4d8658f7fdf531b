import { type Query, numbersParameter, textParameter } from '../../kit/input/query.ts';
import type { Box } from './geo.ts';
import type { ListName } from './personal.ts';

/** The id of a list, or the name of a built-in one. */
export function listParameter(query: Query, name: string): ListName | undefined {
  const text = textParameter(query, name, 20);
  if (text === undefined || text === 'want' || text === 'favourites') return text;
  const id = /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
  if (id === undefined) query.faults.push(`${name} must be the id of a list, want or favourites`);
  return id;
}

/** A box of degrees; west of its east edge it crosses the antimeridian. */
export function boxParameter(query: Query, name: string): Box | undefined {
  const numbers = numbersParameter(query, name, 4);
  if (!numbers) return undefined;
  const [west = NaN, south = NaN, east = NaN, north = NaN] = numbers;
  if (Math.max(Math.abs(west), Math.abs(east)) > 180 || Math.max(Math.abs(south), Math.abs(north)) > 90)
    query.faults.push(`${name} must be west,south,east,north in degrees`);
  else if (south > north) query.faults.push(`${name} must not have its south above its north`);
  else return { west, south, east, north };
  return undefined;
}
