import { readFileSync } from 'node:fs';
import { reasonOf } from '../kit/system-error.ts';

/** The variables of a process, or a test's own. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment being read, and the findings so far. */
export interface Variables {
  readonly environment: Environment;
  /** The effective value of every variable that was asked for, for printing; secrets are masked. */
  readonly settings: Map<string, string>;
  readonly faults: string[];
  readonly warnings: string[];
}

const BOOLEANS = ['true', 'false'] as const;

/** Trimmed text. An empty variable counts as unset, as compose files write it. */
export function text({ environment, settings }: Variables, name: string, fallback: string): string {
  const set = environment[name]?.trim() ?? '';
  const effective = set === '' ? fallback : set;
  settings.set(name, effective);
  return effective;
}

/** Whether a variable has a value. */
export function isSet({ environment }: Pick<Variables, 'environment'>, name: string): boolean {
  return (environment[name]?.trim() ?? '') !== '';
}

/** One of `choices`; another word is a fault. */
export function choice<Choice extends string>(
  variables: Variables,
  name: string,
  choices: readonly Choice[],
  fallback: Choice,
): Choice {
  const given = text(variables, name, fallback);
  const found = choices.find((candidate) => candidate === given);
  if (found === undefined)
    variables.faults.push(`${name} must be one of ${choices.join(', ')}, not "${given}"`);
  return found ?? fallback;
}

/** A decimal integer within the range. */
export function integer(
  variables: Variables,
  name: string,
  min: number,
  max: number,
  fallback: number,
): number {
  const given = text(variables, name, String(fallback));
  const number = /^\d{1,9}$/.test(given) ? Number(given) : NaN;
  if (number >= min && number <= max) return number;
  variables.faults.push(`${name} must be an integer from ${min} to ${max}, not "${given}"`);
  return fallback;
}

/** Entries between commas, without blanks; one that is not accepted is a fault. */
export function list(
  variables: Variables,
  name: string,
  fallback: string,
  { expected, accepts }: { readonly expected: string; readonly accepts: (entry: string) => boolean },
): string[] {
  const entries = text(variables, name, fallback).split(',');
  const given = entries.map((entry) => entry.trim()).filter((entry) => entry !== '');
  const wrong = given.find((entry) => !accepts(entry));
  if (wrong !== undefined) variables.faults.push(`${name} must be ${expected}, not "${wrong}"`);
  return given;
}

/** `true` or `false`, by default false. */
export function flag(variables: Variables, name: string): boolean {
  return choice(variables, name, BOOLEANS, 'false') === 'true';
}

/**
 * A secret as it was set, or from the file that `<name>_FILE` names, without the line break at its end. Both at once,
 * and a file that cannot be read, are faults. Undefined when neither is set.
 */
export function secret({ environment, settings, faults }: Variables, name: string): string | undefined {
  const own = environment[name] ?? '';
  const file = environment[`${name}_FILE`]?.trim() ?? '';
  settings.set(name, own === '' ? '' : '(set)');
  settings.set(`${name}_FILE`, file);
  if (own !== '' && file !== '') faults.push(`${name} and ${name}_FILE must not both be set`);
  if (own !== '' || file === '') return own === '' ? undefined : own;
  try {
    const content = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    if (content !== '') return content;
    faults.push(`${name}_FILE names an empty file: ${file}`);
  } catch (error) {
    faults.push(`${name}_FILE names a file that cannot be read (${reasonOf(error)}): ${file}`);
  }
  return undefined;
}

/** A secret that stands in a header as it is; another one is a fault. */
export function headerSecret(variables: Variables, name: string): string | undefined {
  const value = secret(variables, name);
  if (value !== undefined && !/^[\x21-\x7e]{1,500}$/.test(value))
    variables.faults.push(`${name} must be 1 to 500 printable ASCII characters without blanks`);
  return value;
}

/** An absolute address without a fragment that is accepted, by default one of the web; another one is a fault. */
export function address(
  variables: Variables,
  name: string,
  fallback: string,
  accepts: (url: URL) => boolean = isWeb,
  expected = 'an http or https address',
): string | undefined {
  const given = text(variables, name, fallback);
  if (given === '') return undefined;
  if (!given.includes('#') && URL.canParse(given) && accepts(new URL(given))) return given;
  variables.faults.push(`${name} must be ${expected}, not "${given}"`);
  return undefined;
}

/** Whether this is an address of the web. */
export function isWeb({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:';
}

/** Whether what goes to this address can be read on the way: plain http to another machine. */
export function isPlain(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
