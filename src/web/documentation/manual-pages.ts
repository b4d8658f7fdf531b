import { type StaticFile, asHtml, fillIn, staticFile } from '../../kit/static-files.ts';
import type { ManualFiles } from './manual-files.ts';
import {
  type Entry,
  INDEX,
  type PictureSizes,
  type Rendered,
  type Section,
  addressOf,
  renderMarkdown,
} from './manual-markdown.ts';
import { type Findable, type Found, searchManual } from './manual-search.ts';

/** The manual as it is served. */
export interface Manual {
  /** A page by its name, its Markdown by its file name, or a picture. */
  readonly files: ReadonlyMap<string, StaticFile>;
  /** The page that shows where the words of a query occur. */
  readonly search: (query: string) => StaticFile;
}

interface Page extends Entry {
  readonly title: string;
  readonly rendered: Rendered;
}

interface Frame {
  readonly title: string;
  readonly main: string;
  /** The page that is shown, where it is one. */
  readonly page?: Page;
  readonly query?: string;
}

const PICTURE = /\.(?:png|svg)$/;
// Of a PNG the first chunk holds width and height (PNG specification, section 11.2.1).
const PNG_WIDTH_AT = 16;
const PNG_HEIGHT_AT = 20;
const ENTITIES: Readonly<Record<string, string>> = {
  ...{ '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" },
};

/**
 * Renders all pages that the list on the first one names, in its order. Throws when one is missing.
 */
export function renderManual({ base, template, sources }: ManualFiles): Manual {
  const pages = readPages(sources);
  const frame = framer(pages, base, template);
  const shown = pages.map((page, at): [string, StaticFile] => {
    const main = page.rendered.html + pagerOf(pages[at - 1], pages[at + 1]);
    return [page.page, frame({ title: page.title, main, page })];
  });
  const parts = pages.flatMap(findableOf);
  return {
    files: new Map([...sources, ...shown]),
    search: (query) => frame({ title: 'Search', main: foundIn(searchManual(parts, query), query), query }),
  };
}

function readPages(sources: ReadonlyMap<string, StaticFile>): readonly Page[] {
  const sizes: PictureSizes = new Map(
    [...sources].filter(([name]) => PICTURE.test(name)).map(([name, file]) => [name, sizeOf(file)]),
  );
  const read = (entry: Entry): Page => {
    const source = sources.get(`${entry.page}.md`);
    if (!source) throw new Error(`the manual has no page ${entry.page}`);
    const rendered = renderMarkdown(source.body.toString(), sizes);
    return { ...entry, rendered, title: rendered.sections[0]?.heading ?? entry.page };
  };
  const index = read({ page: INDEX, group: '' });
  return [index, ...index.rendered.entries.map(read)];
}

function sizeOf({ type, body }: StaticFile): { readonly width: number; readonly height: number } | undefined {
  if (type !== 'image/png') return undefined;
  return { width: body.readUInt32BE(PNG_WIDTH_AT), height: body.readUInt32BE(PNG_HEIGHT_AT) };
}

/** Puts what a page shows next to the list of all pages. */
function framer(pages: readonly Page[], base: string, template: string): (frame: Frame) => StaticFile {
  return ({ title, main, page, query = '' }) => {
    const values = {
      ...{ assets: base, title: asHtml(title), main, query: asHtml(query) },
      ...{ pages: listOf(pages, page), source: `/manual/${page?.page ?? INDEX}.md` },
    };
    return staticFile('manual.html', Buffer.from(fillIn(template, values)));
  };
}

/** The list of all pages in their groups, with the parts of the one that is shown. */
function listOf(pages: readonly Page[], shown: Page | undefined): string {
  return [...new Set(pages.map(({ group }) => group))]
    .map((group) => {
      const members = pages.filter((page) => page.group === group);
      const items = members.map((page) => itemOf(page, page === shown)).join('');
      return `${group === '' ? '' : `<h2>${asHtml(group)}</h2>`}<ul>${items}</ul>`;
    })
    .join('\n');
}

function itemOf({ page, title, rendered }: Page, isShown: boolean): string {
  const link = `<a href="${addressOf(page)}"${isShown ? ' aria-current="page"' : ''}>${asHtml(title)}</a>`;
  const parts = isShown ? rendered.sections.filter(({ depth }) => depth === 2) : [];
  const items = parts.map(({ id, heading }) => `<li><a href="#${asHtml(id)}">${asHtml(heading)}</a></li>`);
  return `<li>${link}${items.length > 0 ? `<ul>${items.join('')}</ul>` : ''}</li>`;
}

function pagerOf(before: Page | undefined, after: Page | undefined): string {
  const link = (page: Page | undefined, rel: string, label: string): string =>
    page === undefined
      ? ''
      : `<a rel="${rel}" href="${addressOf(page.page)}"><span>${label}</span> ${asHtml(page.title)}</a>`;
  return `<footer>${link(before, 'prev', 'Previous:')}${link(after, 'next', 'Next:')}</footer>`;
}

function findableOf({ page, title, rendered }: Page): Findable[] {
  return rendered.sections.map(({ id, heading, depth, html }: Section) => ({
    address: depth === 1 ? addressOf(page) : `${addressOf(page)}#${id}`,
    title: depth === 1 ? heading : `${title}: ${heading}`,
    text: textIn(html.slice(html.indexOf('</h') + '</h1>'.length)),
  }));
}

function textIn(html: string): string {
  const text = html.replace(/<[^>]*>/g, (tag) => (/^<\/?(?:a|code|strong|em)\b/.test(tag) ? '' : ' '));
  return text
    .replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\s+/g, ' ')
    .trim();
}

function foundIn(found: readonly Found[], query: string): string {
  const words = `“${asHtml(query)}”`;
  if (found.length === 0) return `<h1>Search</h1><p>No part of the manual has ${words}.</p>`;
  const count = found.length === 1 ? 'One part' : `${found.length} parts`;
  const items = found.map(
    ({ address, title, excerpt }) =>
      `<li><a href="${asHtml(address)}">${asHtml(title)}</a><p>${asHtml(excerpt)}</p></li>`,
  );
  return `<h1>Search</h1><p>${count} of the manual with ${words}.</p><ul class="found">${items.join('')}</ul>`;
}
