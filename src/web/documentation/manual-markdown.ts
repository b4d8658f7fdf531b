import { Marked, Renderer, type Tokens } from 'marked';
import { asHtml } from '../../kit/static-files.ts';

/** A section of a page, from its heading to the next. */
export interface Section {
  /** The anchor of its heading, as on GitHub and other forges. */
  readonly id: string;
  readonly heading: string;
  /** 1 to 6. */
  readonly depth: number;
  readonly html: string;
}

/** A list element that links to a page of the manual. */
export interface PageLink {
  readonly page: string;
  /** The nearest heading above it. */
  readonly group: string;
}

/** A Markdown page as HTML. */
export interface Rendered {
  readonly html: string;
  readonly sections: readonly Section[];
  /** The first link of each list element, if it leads to a page of the manual. */
  readonly entries: readonly PageLink[];
}

/** Sizes of pictures in pixels, where known. */
export type PictureSizes = ReadonlyMap<
  string,
  { readonly width: number; readonly height: number } | undefined
>;

/** The page with the list of all pages. */
export const INDEX = 'index';
const COMMENT = /<!--[^]*?-->/g;
const ABROAD = /^(?:https?:\/\/|mailto:)/;
// Relative, so that links also work on a forge.
const WITHIN = /^(?:([\w-]+)\.md)?(#.*)?$/;
const HEADINGS = /(?=<h[1-6] id=")/;

/** The URL of a page of the manual. */
export function manualUrl(page: string): string {
  return page === INDEX ? '/manual' : `/manual/${page}`;
}

/**
 * Renders a page, escaping HTML and dropping comments. A link to a file outside the manual becomes plain text, a
 * picture that is not in `pictures` its description.
 */
export function renderMarkdown(source: string, pictures: PictureSizes): Rendered {
  const renderer = new PageRenderer(pictures);
  const html = new Marked().parse(source, { renderer, async: false });
  const parts = html.split(HEADINGS).filter((part) => HEADINGS.test(part));
  const sections = renderer.headings.map((heading, at) => ({ ...heading, html: parts[at] ?? '' }));
  return { html, sections, entries: renderer.entries };
}

class PageRenderer extends Renderer {
  readonly headings: Omit<Section, 'html'>[] = [];
  readonly entries: PageLink[] = [];
  readonly #pictures: PictureSizes;
  readonly #uses = new Map<string, number>();
  #linked: string[] = [];

  constructor(pictures: PictureSizes) {
    super();
    this.#pictures = pictures;
  }

  override heading({ tokens, depth }: Tokens.Heading): string {
    const heading = this.parser.parseInline(tokens, this.parser.textRenderer);
    const id = this.#unusedId(heading);
    this.headings.push({ id, heading, depth });
    const html = this.parser.parseInline(tokens);
    return `<h${depth} id="${asHtml(id)}"><a href="#${asHtml(id)}">${html}</a></h${depth}>\n`;
  }

  /** By GitHub's rule the second of two equal headings gets a number. */
  #unusedId(heading: string): string {
    const id = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{Nd}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-');
    const uses = this.#uses.get(id) ?? 0;
    this.#uses.set(id, uses + 1);
    return uses === 0 ? id : `${id}-${uses}`;
  }

  override link({ href, tokens }: Tokens.Link): string {
    const html = this.parser.parseInline(tokens);
    if (ABROAD.test(href)) return `<a href="${asHtml(href)}">${html}</a>`;
    const [whole, page, fragment = ''] = WITHIN.exec(href) ?? [];
    if (whole === undefined) return html;
    if (page !== undefined && fragment === '') this.#linked.push(page);
    return `<a href="${asHtml((page === undefined ? '' : manualUrl(page)) + fragment)}">${html}</a>`;
  }

  override listitem(item: Tokens.ListItem): string {
    const outer = this.#linked;
    this.#linked = [];
    const html = super.listitem(item);
    const [page] = this.#linked;
    if (page !== undefined) this.entries.push({ page, group: this.headings.at(-1)?.heading ?? '' });
    this.#linked = outer;
    return html;
  }

  override image({ href, text }: Tokens.Image): string {
    if (!this.#pictures.has(href)) return asHtml(text);
    const size = this.#pictures.get(href);
    const sides = size ? ` width="${size.width}" height="${size.height}"` : '';
    return `<img src="/manual/${asHtml(href)}" alt="${asHtml(text)}"${sides} loading="lazy">`;
  }

  override table(token: Tokens.Table): string {
    const id = this.headings.at(-1)?.id ?? '';
    return `<div class="table" role="group" aria-labelledby="${asHtml(id)}">${super.table(token)}</div>\n`;
  }

  override tablecell(cell: Tokens.TableCell): string {
    // An empty header becomes a normal cell.
    return super.tablecell(cell.text === '' ? { ...cell, header: false } : cell);
  }

  override code({ text }: Tokens.Code): string {
    return `<div class="code"><pre><code>${asHtml(text)}\n</code></pre></div>\n`;
  }

  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return asHtml(text.replace(COMMENT, '').trimStart());
  }
}
