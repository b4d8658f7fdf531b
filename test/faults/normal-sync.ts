// Loaded before the service, for the control of power-cut.disk.test.ts alone: the database runs with synchronous=NORMAL while it
// says FULL, as it would without the service's care.
import Database from 'better-sqlite3';

const original: unknown = Reflect.get(Database.prototype, 'pragma');
if (typeof original !== 'function') throw new Error('the driver has no pragma');

Object.defineProperty(Database.prototype, 'pragma', {
  value: function pragma(this: unknown, text: string, ...options: readonly unknown[]): unknown {
    if (text === 'synchronous') return 2;
    const asked = text === 'synchronous = FULL' ? 'synchronous = NORMAL' : text;
    return Reflect.apply(original, this, [asked, ...options]);
  },
});
