import { badRequest } from './errors.ts';

/**
 * The id in a path. Throws 400 `Invalid <noun> ID` for anything but a positive integer that JavaScript holds exactly
 * (CONTRACT section 1).
 */
export function idInPath(parameters: ReadonlyMap<string, string>, name: string, noun: string): number {
  const text = parameters.get(name) ?? '';
  const id = /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(id)) throw badRequest(`Invalid ${noun} ID`);
  return id;
}
