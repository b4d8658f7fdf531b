import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { X509Certificate, createPrivateKey } from 'node:crypto';
import { type Finding, fault, risk } from './findings.ts';

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

/** Tells whether certificate and key can be read, belong together, and are good today and in two weeks. */
export function checkCertificate(certFile: string, keyFile: string, now: Date): readonly Finding[] {
  try {
    const certificate = new X509Certificate(readFileSync(certFile));
    const findings = checkDates(certificate, certFile, now);
    accessSync(keyFile, constants.R_OK);
    const isPair = certificate.checkPrivateKey(createPrivateKey(readFileSync(keyFile)));
    return [
      ...findings,
      ...(isPair ? [] : [fault(`the key in ${keyFile} is not that of the certificate in ${certFile}`)]),
      ...checkSecretFile(keyFile, 'TLS_KEY_FILE'),
    ];
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'not PEM';
    return [fault(`TLS_CERT_FILE and TLS_KEY_FILE cannot be used (${reason}): ${certFile}, ${keyFile}`)];
  }
}

function checkDates({ validFrom, validTo }: X509Certificate, path: string, now: Date): readonly Finding[] {
  const days = (new Date(validTo).getTime() - now.getTime()) / DAY_MS;
  if (new Date(validFrom) > now) return [fault(`the certificate in ${path} is not good before ${validFrom}`)];
  if (days < 0) return [fault(`the certificate in ${path} has ended on ${validTo}; renew it`)];
  const text = `the certificate in ${path} ends on ${validTo}`;
  return [days < RENEWAL_DAYS ? risk(`${text}; renew it`) : { level: 'ok', text }];
}
