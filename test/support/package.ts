import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseJson, propertiesOf } from '../../src/kit/objects.ts';
import { CHECKOUT } from './checkout.ts';

const ROOT = fileURLToPath(CHECKOUT);
const COPY = fileURLToPath(new URL('.test-build/', CHECKOUT));

/** The catalogue as npm installs its package, with links to the packages of this checkout beside it. */
export interface Installed {
  /** Where everything is installed. */
  readonly folder: string;
  readonly program: string;
  /** What the package contains, by paths in it. */
  readonly files: readonly string[];
}

/**
 * Installs the package of the compiled copy of this checkout into `folder`, which is empty. `without` names packages that
 * are left out.
 */
export function installPackage(folder: string, without: readonly string[] = []): Installed {
  const own = join(folder, 'node_modules', 'restaurant-catalogue');
  mkdirSync(own, { recursive: true });
  const input = (packed ??= pack());
  execFileSync('tar', ['-xzf', '-', '--strip-components=1', '-C', own], { input });
  const listed = execFileSync('tar', ['-tzf', '-'], { input, encoding: 'utf8' }).trim().split('\n');
  for (const path of neededPackages()) {
    if (without.includes(path.replace('node_modules/', ''))) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(join(ROOT, path), join(folder, path));
  }
  return {
    folder,
    program: join(own, 'bin', 'catalogue'),
    files: listed.map((path) => path.replace(/^package\//, '')),
  };
}

let packed: Buffer | undefined;

function pack(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'catalogue-package-'));
  try {
    const options = ['--ignore-scripts', '--silent', '--pack-destination', folder];
    const name = execFileSync('npm', ['pack', ...options], { cwd: COPY, encoding: 'utf8' }).trim();
    return readFileSync(join(folder, name));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The folders of the packages that the service needs where it runs, as package-lock.json has them. */
function neededPackages(): readonly string[] {
  const lock = propertiesOf(parseJson(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')));
  const packages = [...(propertiesOf(lock?.get('packages')) ?? [])];
  return packages
    .filter(([path, about]) => path !== '' && propertiesOf(about)?.get('dev') !== true)
    .map(([path]) => path)
    .filter((path) => !SOURCE_ONLY.test(path));
}

/** What runs TypeScript, which no package of ours contains. */
const SOURCE_ONLY = /^node_modules\/(?:esbuild|@esbuild\/.*)$/;
