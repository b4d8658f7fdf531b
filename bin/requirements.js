import { readFileSync } from 'node:fs';
import process from 'node:process';
import { URL } from 'node:url';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/**
 * A sentence that refuses this version of Node, or undefined where `engines` of package.json accepts it. Every range
 * there has the form ^1.2.3.
 */
export function refusedNode(version = process.versions.node) {
  const [major, minor, patch] = version.split('.').map(Number);
  const accepted = engines.node.split(' || ').some((range) => {
    const [first, second, third] = range.slice(1).split('.').map(Number);
    return major === first && (minor > second || (minor === second && patch >= third));
  });
  return accepted ? undefined : `Node ${version} is not supported: use ${engines.node}.`;
}
