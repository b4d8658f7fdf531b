import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, extname, join } from 'node:path';
import { type Properties, propertiesOf } from '../../kit/objects.ts';
import { STATIC_FOLDER, type StaticFile, staticFile } from '../../kit/static-files.ts';
import { ENGLISH, type Say, directionOf, documentTexts } from './languages.ts';

const FOLDER = new URL('app/', STATIC_FOLDER);
// The modules of the app as the build compiles them; the sources run without them.
const COMPILED = new URL('../../web-app/', import.meta.url);
// Modules of the service that run in the app as well, by their paths in `src`. They import nothing but each other.
const SHARED = ['catalogue/places/positions', 'catalogue/places/map-address'];
const SERVED = /\.(?:svg|png|csv|json)$/;
const PLURAL_FORMS = /^(?:zero|one|two|few|many|other)$/;
const TEXTS = /^texts\/(.*)\.json$/;
// All style sheets in one file: variables before their uses, print rules after screen rules.
const STYLES = 'app.css';
const FIRST_STYLES = ['tokens.css', 'parts.css'];
const LAST_STYLE = 'print.css';

export interface WebAppFiles {
  /** The files of the English edition, by path below the app's URL prefix. */
  readonly files: ReadonlyMap<string, StaticFile>;
  /** By their tags (BCP 47); English is the first. */
  readonly languages: ReadonlyMap<string, Language>;
  /** Have placeholders, which are filled in before serving. */
  readonly templates: { readonly page: string; readonly worker: string; readonly manifest: string };
}

/** A language of the app. */
export interface Language {
  /** Its texts, at TEXTS_MODULE. */
  readonly module: StaticFile;
  readonly say: Say;
}

/** The module of the texts. */
export const TEXTS_MODULE = 'texts/texts.js';

let known: Promise<WebAppFiles> | undefined;

/** The files of the web app. They are read on the first call, which rejects if one is missing. */
export function webAppFiles(): Promise<WebAppFiles> {
  return (known ??= readFiles());
}

async function readFiles(): Promise<WebAppFiles> {
  const paths = pathsIn(FOLDER);
  const modules = new Map(await readModules());
  const worker = modules.get('start/sw.js') ?? '';
  modules.delete('start/sw.js');
  const english = readTexts(ENGLISH);
  const others = paths.flatMap((path) => TEXTS.exec(path)?.[1] ?? []).filter((tag) => tag !== ENGLISH);
  const tags = [ENGLISH, ...others];
  const languageOf = (tag: string): Language => {
    const texts = filledUp(readTexts(tag), english);
    const module = staticFile(TEXTS_MODULE, Buffer.from(textsModule(texts, tag, tags)));
    return { module, say: documentTexts(texts, tag) };
  };
  const ofEnglish = languageOf(ENGLISH);
  const bodies: readonly (readonly [string, Buffer])[] = [
    ...[...modules].map(([path, code]) => [path, Buffer.from(code)] as const),
    [TEXTS_MODULE, ofEnglish.module.body],
    ...paths
      .filter((path) => SERVED.test(path) && !TEXTS.test(path))
      .map((path) => [path, read(path)] as const),
    ...readVendorFiles(),
    ['icons/icon.svg', readFileSync(new URL('favicon.svg', STATIC_FOLDER))],
    [STYLES, joinStyles(paths.filter((path) => path.endsWith('.css')))],
  ];
  return {
    files: new Map(bodies.map(([path, body]) => [path, staticFile(path, body)])),
    languages: new Map([[ENGLISH, ofEnglish], ...others.map((tag) => [tag, languageOf(tag)] as const)]),
    templates: {
      page: read('index.html').toString(),
      worker,
      manifest: read('manifest.webmanifest').toString(),
    },
  };
}

/** The texts of a language, which are data in their folder. */
function readTexts(tag: string): unknown {
  return JSON.parse(read(`texts/${tag}.json`).toString());
}

/** The texts of a language; those that are missing are English. */
function filledUp(texts: unknown, english: unknown): unknown {
  const [own, all] = [propertiesOf(texts), propertiesOf(english)];
  if (!own || !all || isForms(all)) return texts ?? english;
  return Object.fromEntries([...all].map(([name, text]) => [name, filledUp(own.get(name), text)]));
}

/** Whether these are the forms of a text for numbers, of which languages have different ones. */
const isForms = (properties: Properties): boolean =>
  [...properties.keys()].every((name) => PLURAL_FORMS.test(name));

/** The source of the module that holds the texts of a language; see texts.d.ts. */
export function textsModule(texts: unknown, tag: string, tags: readonly string[]): string {
  // The group `document` is for the service alone.
  const { document: _ofDocuments, ...shown } = Object.fromEntries(propertiesOf(texts) ?? []);
  const values = { texts: shown, languages: tags, direction: directionOf(tag) };
  return Object.entries(values)
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
    .join('');
}

function pathsIn(folder: URL): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
}

function read(path: string): Buffer {
  return readFileSync(new URL(path, FOLDER));
}

/** The modules of the app by path: as they were built, or made from their sources. */
function readModules(): Promise<ReadonlyMap<string, string>> | ReadonlyMap<string, string> {
  if (!existsSync(COMPILED)) return compileModules();
  const built = pathsIn(COMPILED).filter((path) => path.endsWith('.js'));
  return new Map(built.map((path) => [path, readFileSync(new URL(path, COMPILED), 'utf8')]));
}

/**
 * Makes the modules of the app from their sources, by path: without types, comments and indentation. Modules that it shares
 * with the service are below `src`.
 */
export async function compileModules(folder = FOLDER): Promise<ReadonlyMap<string, string>> {
  const { transform } = await import('esbuild');
  const options = {
    loader: 'ts',
    target: 'es2023',
    minifyWhitespace: true,
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  } as const;
  const own = pathsIn(folder).filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'));
  const sources = [
    ...own.map((path) => [path, new URL(path, folder)] as const),
    // Next to this module they are compiled as it is.
    ...SHARED.map((path) => {
      const file = `${path}${extname(import.meta.url)}`;
      return [`src/${file}`, new URL(`../../${file}`, import.meta.url)] as const;
    }),
  ];
  const made = sources.map(async ([path, source]) => {
    const { code } = await transform(readFileSync(source, 'utf8'), options);
    return [path.replace(/ts$/, 'js'), code.replace(/(\bfrom"\.[^"]*)\.ts"/g, '$1.js"')] as const;
  });
  return new Map(await Promise.all(made));
}

function joinStyles(paths: readonly string[]): Buffer {
  const placeOf = (path: string): number => {
    const first = FIRST_STYLES.indexOf(basename(path));
    return first === -1 ? FIRST_STYLES.length + (basename(path) === LAST_STYLE ? 1 : 0) : first;
  };
  // The sort is stable: the rest stays in the order of the names.
  return Buffer.concat(paths.toSorted((a, b) => placeOf(a) - placeOf(b)).map(read));
}

const DIRECTIVES = 'class-map guard if-defined keyed live private-async-helpers ref repeat until'.split(' ');

// The package files that the web app loads. Modules keep their relative paths, since they import each other by them.
const PACKAGES = [
  {
    name: 'lit-html',
    folder: '',
    files: [
      'lit-html.js',
      'async-directive.js',
      'directive.js',
      'directive-helpers.js',
      ...DIRECTIVES.map((directive) => `directives/${directive}.js`),
    ],
  },
  { name: 'leaflet', folder: 'dist', files: ['leaflet.js', 'leaflet.css'] },
  { name: 'protomaps-leaflet', folder: 'dist', files: ['protomaps-leaflet.js'] },
  { name: 'world-atlas', folder: '', files: ['land-110m.json', 'land-50m.json'] },
  { name: 'uqr', folder: '', files: ['dist/index.mjs'] },
];

/** Throws if a package is not installed. */
function readVendorFiles(): readonly (readonly [string, Buffer])[] {
  return PACKAGES.flatMap(({ name, folder, files }) => {
    // Resolving a module would find the Node build, and a package need not export its manifest.
    const roots = createRequire(import.meta.url).resolve.paths(name) ?? [];
    const root = roots.map((path) => join(path, name)).find((path) => existsSync(path));
    if (root === undefined) throw new Error(`the package ${name} is not installed`);
    return files.map((file) => [`vendor/${name}/${file}`, readFileSync(join(root, folder, file))] as const);
  });
}
