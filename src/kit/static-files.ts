import { createHash } from 'node:crypto';

/** A file to serve. */
export interface StaticFile {
  readonly type: string;
  readonly body: Buffer;
  /** A strong entity tag. */
  readonly tag: string;
}

/** The folder of static files. */
export const STATIC_FOLDER = new URL('../../static/', import.meta.url);

const TYPES = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  yaml: 'application/yaml',
  json: 'application/json; charset=utf-8',
  webmanifest: 'application/manifest+json',
};
const ENTITIES = new Map(
  Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }),
);
const TYPE_BY_ENDING: ReadonlyMap<string | undefined, string> = new Map(Object.entries(TYPES));

/** Throws for a file extension of unknown type. */
export function staticFile(name: string, body: Buffer): StaticFile {
  const type = TYPE_BY_ENDING.get(name.split('.').at(-1));
  if (type === undefined) throw new Error(`no type is known for the file ${name}`);
  return { type, body, tag: `"${contentHash(body)}"` };
}

/** A 96-bit hash as text, for URLs and tags. */
export function contentHash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 16);
}

/** Escapes text for HTML elements and quoted attributes. */
export function asHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES.get(character) ?? character);
}

// What XML 1.0 has no way to write (section 2.2), lone surrogates among them.
const NOT_IN_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** Escapes text for XML elements and quoted attributes. */
export function asXml(text: string): string {
  return asHtml(text.replace(NOT_IN_XML, ''));
}

/** Replaces `{{name}}` in a template by its value. Throws for a name without a value. */
export function fillIn(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`a template asks for "${name}"`);
    return value;
  });
}
