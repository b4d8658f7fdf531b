import { readFileSync, readdirSync } from 'node:fs';
import type { Service } from './service.ts';

/** A page of the manual. */
export interface ManualPage {
  readonly path: string;
  readonly title: string;
}

/** The folder of the manual, as it is in the repository. */
const MANUAL_FOLDER = new URL('../../static/manual/', import.meta.url);

/** The Markdown of all pages by their names. */
export const MANUAL_SOURCES: ReadonlyMap<string, string> = new Map(
  readdirSync(MANUAL_FOLDER)
    .filter((name) => name.endsWith('.md'))
    .map((name) => [name.replace('.md', ''), readFileSync(new URL(name, MANUAL_FOLDER), 'utf8')]),
);

/** What people read, by the names of the files: README, and the pages of the manual. */
export const PAGES: ReadonlyMap<string, string> = new Map([
  ['README.md', readFileSync(new URL('../../README.md', import.meta.url), 'utf8')],
  ...[...MANUAL_SOURCES].map(([name, text]): [string, string] => [`${name}.md`, text]),
]);

/** The pages for contributors. What they run takes hours, so that a test looks only whether it is there. */
export const FOR_CONTRIBUTORS = [
  'architecture.md',
  'contributing.md',
  'testing.md',
  'translating.md',
  'releasing.md',
];

/** The text of a page. Throws where there is none. */
export function pageText(name: string): string {
  const text = PAGES.get(name);
  if (text === undefined) throw new Error(`no page ${name}`);
  return text;
}

/** A part of a page below a heading of the second level, to the next one. Throws where there is none. */
export function partOf(name: string, heading: string): string {
  const [, text] = pageText(name).split(`\n## ${heading}\n`);
  if (text === undefined) throw new Error(`${name} has no part "${heading}"`);
  return text.split('\n## ')[0] ?? '';
}

/** The code blocks of a text in a language, as its fences name it. */
export function codeBlocks(text: string, language: string): string[] {
  const fences = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms');
  return [...text.matchAll(fences)].map(([, block = '']) => block);
}

/** The pages in the order of the list that stands next to each. */
export async function manualPages({ api }: Pick<Service, 'api'>): Promise<ManualPage[]> {
  const { body } = await api.send('/manual', {});
  const list = /<nav id="pages"[^]*?<\/nav>/.exec(String(body))?.[0] ?? '';
  return [...list.matchAll(/<a href="(\/manual[^"]*)"[^>]*>([^<]*)/g)].map(([, path = '', title = '']) => ({
    path,
    title,
  }));
}
