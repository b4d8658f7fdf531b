import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../support/small-disk.ts';

/** A disk in a file, whose power can be cut. */
export interface Disk {
  readonly folder: string;
  readonly mount: () => void;
  /** What was not flushed is gone from now on; the folder answers errors until it is mounted again. */
  readonly cutPower: () => void;
  readonly unmount: () => void;
  /** Makes an empty file system. */
  readonly format: () => void;
  readonly remove: () => void;
}

// EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH. Node has no ioctl.
const SHUTDOWN =
  "import fcntl,os,struct,sys; fcntl.ioctl(os.open(sys.argv[1],os.O_RDONLY),0x8004587d,struct.pack('I',2))";

/** A disk of 96 MB with ext4; wants root, loop devices and python3. */
export function createDisk(): Disk {
  const root = mkdtempSync(join(tmpdir(), 'catalogue-disk-'));
  const [image, folder] = [join(root, 'image'), join(root, 'mounted')];
  mkdirSync(folder);
  run('truncate', '-s', '96M', image);
  const unmount = (): void => {
    run('umount', folder);
  };
  return {
    folder,
    format: () => {
      run('mkfs.ext4', '-q', '-F', image);
    },
    mount: () => {
      run('mount', '-o', 'loop', image, folder);
    },
    cutPower: () => {
      run('python3', '-c', SHUTDOWN, folder);
    },
    unmount,
    remove: () => {
      try {
        unmount();
      } catch {
        // It was not mounted.
      }
      rmSync(root, { recursive: true, force: true });
    },
  };
}
