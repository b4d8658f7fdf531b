import { readFileSync } from 'node:fs';
import { CHECKOUT } from './checkout.ts';

/** A configuration of static/proxy with some of its texts replaced. Throws where it lacks one of them. */
export function proxyFile(name: string, replacements: Readonly<Record<string, string>> = {}): string {
  const file = readFileSync(new URL(`static/proxy/${name}`, CHECKOUT), 'utf8');
  const texts = Object.keys(replacements);
  const missing = texts.filter((text) => !file.includes(text));
  if (missing.length > 0) throw new Error(`${name} lacks ${missing.join(', ')}`);
  if (texts.length === 0) return file;
  const any = texts.map((text) => text.replace(/[^\w ]/g, '\\$&')).join('|');
  return file.replace(new RegExp(any, 'g'), (text) => replacements[text] ?? text);
}
