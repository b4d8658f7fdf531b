import { readFileSync } from 'node:fs';
import { longerThan } from '../kit/input/fields.ts';
import { reasonOf } from '../kit/system-error.ts';
import { type Environment, isSet } from './environment.ts';

/** Reads variables by type, and collects what is wrong with them. A wrong value is a fault and reads as its default. */
export class SettingsReader {
  /** The effective value of every variable read so far, for printing; secrets are masked. */
  readonly settings = new Map<string, string>();
  readonly faults: string[] = [];
  readonly warnings: string[] = [];
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  isSet(name: string): boolean {
    return isSet(this.#environment, name);
  }

  /** Trimmed text. */
  text(name: string, fallback = ''): string {
    const set = this.#environment[name]?.trim() ?? '';
    const effective = set === '' ? fallback : set;
    this.settings.set(name, effective);
    return effective;
  }

  /** Text of one line. */
  line(name: string, fallback: string, maxCharacters: number): string {
    const line = this.text(name, fallback);
    if (!longerThan(line, maxCharacters) && !/\p{Cc}/u.test(line)) return line;
    this.faults.push(`${name} must be at most ${maxCharacters} characters, without control characters`);
    return fallback;
  }

  choice<Choice extends string>(name: string, choices: readonly Choice[], fallback: Choice): Choice {
    const word = this.text(name, fallback);
    const found = choices.find((choice) => choice === word);
    if (found === undefined) this.faults.push(`${name} must be one of ${choices.join(', ')}, not "${word}"`);
    return found ?? fallback;
  }

  /** `true` or `false`, by default false. */
  flag(name: string, fallback: 'true' | 'false' = 'false'): boolean {
    return this.choice(name, ['true', 'false'], fallback) === 'true';
  }

  /** A decimal integer. */
  integer(name: string, min: number, max: number, fallback: number): number {
    const digits = this.text(name, String(fallback));
    const number = /^\d{1,9}$/.test(digits) ? Number(digits) : NaN;
    if (number >= min && number <= max) return number;
    this.faults.push(`${name} must be an integer from ${min} to ${max}, not "${digits}"`);
    return fallback;
  }

  /** Minutes after midnight; undefined when it is unset or wrong. */
  timeOfDay(name: string): number | undefined {
    const time = this.text(name);
    const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time) ?? [];
    if (hours !== undefined && minutes !== undefined) return Number(hours) * 60 + Number(minutes);
    if (time !== '') this.faults.push(`${name} must be a time of day such as 03:30, not "${time}"`);
    return undefined;
  }

  /** Entries separated by commas. */
  list(name: string, fallback: string, expected: string, accepts: (entry: string) => boolean): string[] {
    const parts = this.text(name, fallback).split(',');
    const entries = parts.map((part) => part.trim()).filter((part) => part !== '');
    const wrong = entries.find((entry) => !accepts(entry));
    if (wrong !== undefined)
      this.faults.push(`${name} must be ${expected}, separated by commas, not "${wrong}"`);
    return entries;
  }

  /** An absolute address without a fragment; undefined when it is unset or wrong. */
  address(
    name: string,
    fallback = '',
    expected = 'an http or https address',
    accepts: (url: URL) => boolean = isWeb,
  ): string | undefined {
    const address = this.text(name, fallback);
    if (address === '') return undefined;
    if (!address.includes('#') && URL.canParse(address) && accepts(new URL(address))) return address;
    this.faults.push(`${name} must be ${expected}, not "${address}"`);
    return undefined;
  }

  /**
   * A secret as set, or the content of the file that `<name>_FILE` names without its final line break; undefined if
   * neither is set or the file is unusable.
   */
  secret(name: string): string | undefined {
    const own = this.#environment[name] ?? '';
    const file = this.#environment[`${name}_FILE`]?.trim() ?? '';
    this.settings.set(name, own === '' ? '' : '(set)');
    this.settings.set(`${name}_FILE`, file);
    if (own !== '' && file !== '') this.faults.push(`${name} and ${name}_FILE must not both be set`);
    if (own !== '') return own;
    if (file === '') return undefined;
    try {
      const content = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
      if (content !== '') return content;
      this.faults.push(`${name}_FILE names an empty file: ${file}`);
    } catch (error) {
      this.faults.push(`${name}_FILE names a file that cannot be read (${reasonOf(error)}): ${file}`);
    }
    return undefined;
  }

  /** A secret that is sent in a header. */
  headerSecret(name: string): string | undefined {
    const value = this.secret(name);
    if (value !== undefined && !/^[\x21-\x7e]{1,500}$/.test(value))
      this.faults.push(`${name} must be 1 to 500 printable ASCII characters without blanks`);
    return value;
  }
}

export function isWeb({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:';
}

/** True if others on the network can read what is sent to this address: plain http to another machine. */
export function isPlain(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
