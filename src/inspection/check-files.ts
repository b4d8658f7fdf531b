import { statSync } from 'node:fs';
import { type Finding, fault, ok, risk } from './findings.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const RENEWAL_DAYS = 14;
const OTHERS = 0o077;

/** Tells whether other users of this machine can get at a file or folder; nothing when it is not there. */
export function checkPrivate(path: string, noun: string): readonly Finding[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats || (stats.mode & OTHERS) === 0) return [];
  const mode = (stats.mode & 0o777).toString(8).padStart(3, '0');
  const safe = stats.isDirectory() ? '700' : '600';
  return [
    risk(`${noun} ${path} is open to other users of this machine (mode ${mode}); run: chmod ${safe} ${path}`),
  ];
}

/** Tells whether a file with a secret can be read, and by whom else. */
export function checkSecretFile(path: string, noun: string): readonly Finding[] {
  // A container gives its secrets to all users in it, on purpose.
  return path.startsWith('/run/secrets/') ? [] : checkPrivate(path, noun);
}

/** Tells whether a certificate is good today and in two weeks. */
export function checkDates(path: string, from: Date, until: Date, now: Date): Finding {
  const days = (until.getTime() - now.getTime()) / DAY_MS;
  if (from > now) return fault(`the certificate in ${path} is not good before ${from.toISOString()}`);
  if (days < 0) return fault(`the certificate in ${path} has ended on ${until.toISOString()}; renew it`);
  const text = `the certificate in ${path} ends on ${until.toISOString()}`;
  return days < RENEWAL_DAYS ? risk(`${text}; renew it`) : ok(text);
}
