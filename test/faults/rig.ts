import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { has, run, whyNoMount } from '../support/small-disk.ts';

/** A disk in a file, whose power can be cut. */
export interface Disk {
  readonly folder: string;
  readonly mount: () => void;
  /**
   * Prepares a cut and returns the function that makes it, in a moment: what was not flushed is gone from then on, and
   * the folder answers errors until it is mounted again.
   */
  readonly prepareCut: () => Promise<() => Promise<void>>;
  readonly unmount: () => void;
  readonly remove: () => void;
}

// EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH, once a line comes. Node has no ioctl.
const SHUTDOWN = [
  'import fcntl,os,struct,sys',
  'disk=os.open(sys.argv[1],os.O_RDONLY)',
  "print('ready',flush=True)",
  'sys.stdin.readline()',
  "fcntl.ioctl(disk,0x8004587d,struct.pack('I',2))",
].join(';');

/** Why no such disk can be made here; undefined when one can. */
export function whyNoDisk(): string | undefined {
  const missing = ['mkfs.ext4', 'python3'].find((tool) => !has(tool));
  const reason = whyNoMount() ?? (missing === undefined ? undefined : `needs the program ${missing}`);
  if (reason !== undefined) return reason;
  try {
    createDisk().remove();
    return undefined;
  } catch (error) {
    return `needs a loop device: ${error instanceof Error ? error.message.trim() : ''}`;
  }
}

/** A mounted disk of 96 MB with an empty ext4. */
export function createDisk(): Disk {
  const root = mkdtempSync(join(tmpdir(), 'catalogue-disk-'));
  const [image, folder] = [join(root, 'image'), join(root, 'mounted')];
  const mount = (): void => {
    run('mount', '-o', 'loop', image, folder);
  };
  const unmount = (): void => {
    run('umount', folder);
  };
  const remove = (): void => {
    try {
      unmount();
    } catch {
      // It was not mounted.
    }
    rmSync(root, { recursive: true, force: true });
  };
  try {
    mkdirSync(folder);
    run('truncate', '-s', '96M', image);
    run('mkfs.ext4', '-q', '-F', image);
    mount();
  } catch (error) {
    remove();
    throw error;
  }
  return {
    folder,
    mount,
    unmount,
    remove,
    prepareCut: async () => {
      const python = spawn('python3', ['-c', SHUTDOWN, folder], { stdio: ['pipe', 'pipe', 'inherit'] });
      await once(python.stdout, 'data');
      return async () => {
        python.stdin.end('\n');
        await once(python, 'exit');
        if (python.exitCode !== 0) throw new Error('the power was not cut');
      };
    },
  };
}
