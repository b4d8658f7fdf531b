import { readFileSync, writeFileSync } from 'node:fs';
import { CHECKOUT } from './checkout.ts';
import { FOUNDATIONS, LEVELS, type Level, between, moduleOf } from './modules.ts';

// Pixels. Letters of the small text are at most so wide on average in any usual font.
const WIDTH = 800;
const MARGIN = 12;
const PADDING = 9;
const GAP = 7;
const IN_A_ROW = 5;
const LINE = 15;
const TITLE = 20;
const NAME = 22;
const LETTER = 6.4;

const FILE = new URL('static/manual/modules.svg', CHECKOUT);

const STYLE = `
  text { font: 12px system-ui, 'Segoe UI', Helvetica, Arial, sans-serif; fill: #555 }
  .name { font-size: 14px; font-weight: 600; fill: #1d1d1f }
  .level { font-weight: 600 }
  .page { fill: #fff }
  .band { fill: #f1f1ee }
  .box { fill: #fff; stroke: #c9c9c4 }
  @media (prefers-color-scheme: dark) {
    text { fill: #b4b4b8 }
    .name { fill: #f2f2f4 }
    .page { fill: #161618 }
    .band { fill: #212124 }
    .box { fill: #2c2c30; stroke: #4a4a50 }
  }
`;

/** The picture of the modules as SVG: a band for each level, the highest first, and in each box what the module imports. */
export function drawModules(): string {
  const bands: string[] = [];
  let y = MARGIN + TITLE;
  for (const level of LEVELS.toReversed()) {
    const band = drawBand(level, y);
    bands.push(band.svg);
    y += band.height + GAP;
  }
  const height = y - GAP + MARGIN;
  const note =
    'A module imports only modules of the bands below its own. Its box names them, except tools and foundations.';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="The modules by their levels">`,
    `<style>${STYLE}</style>`,
    `<rect class="page" width="${WIDTH}" height="${height}"/>`,
    text(MARGIN, MARGIN + 8, note),
    ...bands,
    '</svg>\n',
  ].join('\n');
}

/** The picture that the manual shows. */
export function readPicture(): string {
  return readFileSync(FILE, 'utf8');
}

/** Stores the picture for the manual. */
export function writePicture(): void {
  writeFileSync(FILE, drawModules());
}

interface Drawn {
  readonly svg: string;
  readonly height: number;
}

function drawBand({ name, modules }: Level, top: number): Drawn {
  const svg = [text(MARGIN + PADDING, top + TITLE, name, 'level')];
  const columns = Math.min(IN_A_ROW, modules.length);
  const width = Math.floor((WIDTH - 2 * (MARGIN + PADDING) - (columns - 1) * GAP) / columns);
  let y = top + TITLE + GAP;
  for (let start = 0; start < modules.length; start += columns) {
    const boxes = modules
      .slice(start, start + columns)
      .map((module) => ({ module, lines: linesOf(module, Math.floor((width - 2 * PADDING) / LETTER)) }));
    const height = NAME + Math.max(...boxes.map(({ lines }) => lines.length)) * LINE + PADDING;
    for (const [index, { module, lines }] of boxes.entries()) {
      const x = MARGIN + PADDING + index * (width + GAP);
      svg.push(
        `<rect class="box" x="${x}" y="${y}" width="${width}" height="${height}" rx="5"/>`,
        text(x + PADDING, y + NAME - 2, module, 'name'),
        ...lines.map((line, at) => text(x + PADDING, y + NAME + (at + 1) * LINE - 1, line)),
      );
    }
    y += height + GAP;
  }
  const height = y - top;
  const band = `<rect class="band" x="${MARGIN}" y="${top}" width="${WIDTH - 2 * MARGIN}" height="${height}" rx="8"/>`;
  return { svg: [band, ...svg].join('\n'), height };
}

/** The names of the modules that one imports, in lines of at most so many letters. */
function linesOf(module: string, letters: number): readonly string[] {
  const imported = between.filter(({ from }) => moduleOf(from) === module).map(({ to }) => moduleOf(to));
  const names = [...new Set(imported)].filter((name) => !FOUNDATIONS.includes(name)).sort();
  const lines: string[] = [];
  for (const [index, name] of names.entries()) {
    const word = index < names.length - 1 ? `${name},` : name;
    const last = lines.at(-1);
    if (last !== undefined && `${last} ${word}`.length <= letters)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function text(x: number, y: number, words: string, style = ''): string {
  return `<text x="${x}" y="${y}"${style === '' ? '' : ` class="${style}"`}>${words}</text>`;
}
