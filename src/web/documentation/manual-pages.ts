import { type StaticFile, asHtml, fillIn, staticFile } from '../../kit/static-files.ts';
import {
  type PageLink,
  INDEX,
  type PictureSizes,
  type Rendered,
  manualUrl,
  renderMarkdown,
} from './manual-markdown.ts';
import { type Findable, searchManual } from './manual-search.ts';

/** The rendered manual. */
export interface Manual {
  /** Pages by name, Markdown and pictures by file name. */
  readonly files: ReadonlyMap<string, StaticFile>;
  /** Renders the results page of a search. */
  readonly search: (query: string) => StaticFile;
}

interface Page extends PageLink {
  readonly title: string;
  readonly rendered: Rendered;
}

const PICTURE = /\.(?:png|svg)$/;
// A PNG's first chunk has its width and height (PNG specification, section 11.2.1).
const PNG_WIDTH_AT = 16;
const PNG_HEIGHT_AT = 20;
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};

/**
 * Renders all pages listed on the first one, in that order. `sources` are Markdown and pictures by name, `template` is
 * the HTML around each page, `base` the URL of the files it loads. Throws if a page is missing.
 */
export function renderManual(
  sources: ReadonlyMap<string, StaticFile>,
  template: string,
  base: string,
): Manual {
  const pages = readPages(sources);
  const framed = (title: string, main: string, page?: Page, query = ''): StaticFile => {
    const values = {
      assets: base,
      title: asHtml(title),
      main,
      query: asHtml(query),
      pages: listOf(pages, page),
      source: `/manual/${page?.page ?? INDEX}.md`,
    };
    return staticFile('manual.html', Buffer.from(fillIn(template, values)));
  };
  const shown = pages.map((page, at): [string, StaticFile] => {
    const links = link(pages[at - 1], 'prev', 'Previous:') + link(pages[at + 1], 'next', 'Next:');
    return [page.page, framed(page.title, `${page.rendered.html}<footer>${links}</footer>`, page)];
  });
  const parts = pages.flatMap(findableOf);
  return {
    files: new Map([...sources, ...shown]),
    search: (query) => framed('Search', foundIn(parts, query), undefined, query),
  };
}

function readPages(sources: ReadonlyMap<string, StaticFile>): readonly Page[] {
  const sizes: PictureSizes = new Map(
    [...sources].filter(([name]) => PICTURE.test(name)).map(([name, file]) => [name, sizeOf(file)]),
  );
  const read = (entry: PageLink): Page => {
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

/** The grouped list of all pages, with the sections of the current one. */
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
  const current = isShown ? ' aria-current="page"' : '';
  const sections = isShown ? rendered.sections.filter(({ depth }) => depth === 2) : [];
  const items = sections.map(({ id, heading }) => `<li><a href="#${asHtml(id)}">${asHtml(heading)}</a></li>`);
  const list = items.length > 0 ? `<ul>${items.join('')}</ul>` : '';
  return `<li><a href="${manualUrl(page)}"${current}>${asHtml(title)}</a>${list}</li>`;
}

function link(page: Page | undefined, rel: string, label: string): string {
  if (!page) return '';
  return `<a rel="${rel}" href="${manualUrl(page.page)}"><span>${label}</span> ${asHtml(page.title)}</a>`;
}

function findableOf({ page, title, rendered }: Page): Findable[] {
  return rendered.sections.map(({ id, heading, depth, html }) => ({
    address: depth === 1 ? manualUrl(page) : `${manualUrl(page)}#${id}`,
    title: depth === 1 ? heading : `${title}: ${heading}`,
    text: textIn(html.slice(html.indexOf('</h') + '</h1>'.length)),
  }));
}

function textIn(html: string): string {
  return html
    .replace(/<[^>]*>/g, (tag) => (/^<\/?(?:a|code|strong|em)\b/.test(tag) ? '' : ' '))
    .replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\s+/g, ' ')
    .trim();
}

function foundIn(parts: readonly Findable[], query: string): string {
  const found = searchManual(parts, query);
  const words = `“${asHtml(query)}”`;
  if (found.length === 0) return `<h1>Search</h1><p>No part of the manual has ${words}.</p>`;
  const count = found.length === 1 ? 'One part' : `${found.length} parts`;
  const items = found.map(
    ({ address, title, excerpt }) =>
      `<li><a href="${asHtml(address)}">${asHtml(title)}</a><p>${asHtml(excerpt)}</p></li>`,
  );
  return `<h1>Search</h1><p>${count} of the manual with ${words}.</p><ul class="found">${items.join('')}</ul>`;
}
