import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { compileModules, textsModule } from '../../src/web/pages/web-app-files.ts';

// Copies the checkout into .test-build and compiles it there, so that tests start plain Node, and nothing that is edited
// during a run changes it. The copy looks like the installed package with its tests. Types are not checked here.

const BUILD = '.test-build';
const COPIED = [
  'bin',
  'sql',
  'static',
  'package.json',
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  '.env.example',
];

const APP = join(BUILD, 'dist', 'web-app');
const made = new Set([
  ...compile('src', join(BUILD, 'dist')),
  ...(await compileApp()),
  ...compile('test', join(BUILD, 'test')),
]);
for (const folder of ['dist', 'test'])
  for (const file of filesIn(join(BUILD, folder))) if (!made.has(file)) rmSync(file);
for (const name of COPIED) {
  rmSync(join(BUILD, name), { recursive: true, force: true });
  cpSync(name, join(BUILD, name), { recursive: true });
}
// Tests of the app's modules load them from where their sources lie.
cpSync(APP, join(BUILD, 'static', 'app'), { recursive: true });
const TEXTS = join('static', 'app', 'texts');
writeFileSync(
  join(BUILD, TEXTS, 'texts.js'),
  textsModule(JSON.parse(readFileSync(join(TEXTS, 'en.json'), 'utf8')), 'en', ['en']),
);
rmSync(join(BUILD, 'src'), { force: true });
// Tests load the very modules that the program does.
symlinkSync('dist', join(BUILD, 'src'));
// Compiled files have the times of their sources, and the program takes a build older than its copied sources for a stale one.
writeFileSync(join(BUILD, 'dist', 'made'), '');

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Compiles the web app as the build does. Returns its files. */
async function compileApp(): Promise<string[]> {
  return Array.from(await compileModules(), ([path, code]) => {
    const target = join(APP, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, code);
    return target;
  });
}

/** Compiles what changed in `from` into `to`, and copies what is not TypeScript. Returns all files that belong there. */
function compile(from: string, to: string): string[] {
  const { options } = ts.parseJsonConfigFileContent(
    JSON.parse(readFileSync('tsconfig.json', 'utf8')),
    ts.sys,
    '.',
    { noEmit: false, module: ts.ModuleKind.ESNext, inlineSourceMap: from === 'test' },
  );
  const files = filesIn(from).filter((file) => !file.endsWith('.d.ts'));
  return files.map((file) => {
    const target = join(to, file.slice(from.length)).replace(/\.ts$/, '.js');
    const { mtime } = statSync(file);
    // What was made of this version has its time.
    if (statSync(target, { throwIfNoEntry: false })?.mtime.getTime() === mtime.getTime()) return target;
    mkdirSync(dirname(target), { recursive: true });
    if (file.endsWith('.ts')) {
      const source = readFileSync(file, 'utf8');
      writeFileSync(
        target,
        ts.transpileModule(source, { compilerOptions: options, fileName: file }).outputText,
      );
    } else copyFileSync(file, target);
    utimesSync(target, mtime, mtime);
    return target;
  });
}
