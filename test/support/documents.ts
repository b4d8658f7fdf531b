import assert from 'node:assert/strict';
import { type BytesAnswer, askBytes } from './bytes.ts';
import { field, record } from './client.ts';
import type { Service } from './service.ts';

/** A document of the web app, and the data that it carries. */
export interface Carried extends BytesAnswer {
  readonly html: string;
  readonly at: number;
  readonly answers: Readonly<Record<string, unknown>>;
  readonly start: unknown;
  readonly title: string;
}

/** The document at an address of the web app. */
export async function documentAt(
  { url }: Pick<Service, 'url'>,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Carried> {
  const answer = await askBytes(url + path, headers);
  assert.equal(answer.status, 200, path);
  return { ...answer, ...carriedIn(answer.body) };
}

/** What a document carries, found as an HTML parser finds it: up to the first end of a script. */
export function carriedIn(body: Buffer): Omit<Carried, keyof BytesAnswer> {
  const html = body.toString();
  const [, json = ''] = /<script type="application\/json" id="data">([^]*?)<\/script/.exec(html) ?? [];
  const data: unknown = JSON.parse(json);
  assert.deepEqual(Object.keys(record(data)), ['at', 'answers', 'start']);
  return {
    html,
    at: Number(field(data, 'at')),
    answers: record(field(data, 'answers')),
    start: field(data, 'start'),
    title: /<title>([^<]*)<\/title>/.exec(html)?.[1] ?? '',
  };
}
