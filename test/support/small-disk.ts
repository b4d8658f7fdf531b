import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** A folder on a disk of so many kilobytes, gone after the test. Where none can be mounted the test is skipped. */
export function smallDisk(t: TestContext, kilobytes: number): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'catalogue-disk-'));
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', folder]);
  t.after(() => {
    if (status === 0) spawnSync('umount', [folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  if (status === 0) return folder;
  t.skip(`needs to mount a small disk: ${stderr.toString().trim()}`);
  return undefined;
}
