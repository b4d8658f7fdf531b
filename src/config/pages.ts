import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Variables, text } from './variables.ts';
import { longerThan } from '../kit/input/fields.ts';
import { reasonOf } from '../kit/system-error.ts';

/** Where the tiles of maps come from: nowhere, a PMTiles file by its absolute path, or a template of addresses. */
export type TilesConfig =
  | { readonly kind: 'none' }
  | { readonly kind: 'pmtiles'; readonly file: string; readonly attribution: string | null }
  | { readonly kind: 'raster'; readonly template: string; readonly attribution: string | null };

/** What pages show of the service. */
export interface PagesConfig {
  readonly name: string;
  readonly tiles: TilesConfig;
}

const NAME_MAX = 60;
const ATTRIBUTION_MAX = 300;
const PLACEHOLDERS = ['{z}', '{x}', '{y}'];

/** Reads it; faults and warnings are left in `variables`. */
export function readPagesConfig(variables: Variables): PagesConfig {
  return { name: line(variables, 'CATALOGUE_NAME', 'Catalogue', NAME_MAX), tiles: readTiles(variables) };
}

function readTiles(variables: Variables): TilesConfig {
  const { faults, warnings } = variables;
  const given = text(variables, 'MAP_TILES', 'none');
  const attribution = line(variables, 'MAP_ATTRIBUTION', '', ATTRIBUTION_MAX) || null;
  if (given === 'none') return { kind: 'none' };
  // The licence of nearly every map asks for it, that of OpenStreetMap's data too.
  if (attribution === null)
    warnings.push('MAP_TILES is set without MAP_ATTRIBUTION: name the source of the map');
  if (isTemplate(given)) return { kind: 'raster', template: given, attribution };
  if (given.endsWith('.pmtiles') && !/^[a-z]+:\/\//i.test(given)) {
    const file = resolve(given);
    const fault = faultOf(file);
    if (fault !== undefined) faults.push(`MAP_TILES names a file that cannot be used (${fault}): ${file}`);
    return { kind: 'pmtiles', file, attribution };
  }
  faults.push(
    `MAP_TILES must be none, a file that ends in .pmtiles, or an https address with {z}, {x} and {y}, not "${given}"`,
  );
  return { kind: 'none' };
}

/** Whether this is an address of the web for each tile, with the three placeholders and no others. */
function isTemplate(given: string): boolean {
  if (!/^https:\/\/[\x21-\x7e]+$/.test(given) || given.includes('#')) return false;
  const filled = PLACEHOLDERS.reduce((address, name) => address.replaceAll(name, '0'), given);
  if (/[{}]/.test(filled) || !URL.canParse(filled)) return false;
  const { origin, username, password } = new URL(filled);
  return (
    given.toLowerCase().startsWith(origin) &&
    // It stands in the policy of pages, which other characters of host names could end.
    /^[a-z0-9.:/[\]-]+$/.test(origin) &&
    username + password === '' &&
    PLACEHOLDERS.every((name) => given.includes(name))
  );
}

function faultOf(file: string): string | undefined {
  try {
    accessSync(file, constants.R_OK);
    return statSync(file).isFile() ? undefined : 'it is no file';
  } catch (error) {
    return reasonOf(error);
  }
}

/** Text of one line. */
function line(variables: Variables, name: string, fallback: string, max: number): string {
  const given = text(variables, name, fallback);
  if (!longerThan(given, max) && !/\p{Cc}/u.test(given)) return given;
  variables.faults.push(`${name} must be at most ${max} characters, without control characters`);
  return fallback;
}
