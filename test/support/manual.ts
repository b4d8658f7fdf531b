import { readFileSync, readdirSync } from 'node:fs';
import type { Service } from './service.ts';

/** A page of the manual. */
export interface ManualPage {
  readonly path: string;
  readonly title: string;
}

/** The folder of the manual, as it is in the repository. */
export const MANUAL_FOLDER = new URL('../../static/manual/', import.meta.url);

/** The Markdown of all pages by their names. */
export const MANUAL_SOURCES: ReadonlyMap<string, string> = new Map(
  readdirSync(MANUAL_FOLDER)
    .filter((name) => name.endsWith('.md'))
    .map((name) => [name.replace('.md', ''), readFileSync(new URL(name, MANUAL_FOLDER), 'utf8')]),
);

/** The pages in the order of the list that stands next to each. */
export async function manualPages({ api }: Pick<Service, 'api'>): Promise<ManualPage[]> {
  const { body } = await api.send('/manual', {});
  const list = /<nav id="pages"[^]*?<\/nav>/.exec(String(body))?.[0] ?? '';
  return [...list.matchAll(/<a href="(\/manual[^"]*)"[^>]*>([^<]*)/g)].map(([, path = '', title = '']) => ({
    path,
    title,
  }));
}
