import { X509Certificate, createPrivateKey } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { reasonOf } from '../kit/system-error.ts';
import { DAY_MS } from '../kit/time.ts';
import type { Logger } from './log.ts';

/** Paths of a certificate and its key. */
export interface CertificateFiles {
  /** PEM, the whole chain, with the service's own certificate first. */
  readonly certFile: string;
  readonly keyFile: string;
}

/** A validated certificate with its key. */
export interface Certificate {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
  /** Its subject alternative names as text; may be empty. */
  readonly names: string;
  readonly validFrom: Date;
  readonly validTo: Date;
  /** Identifies the state of the files. */
  readonly revision: string;
}

/** The certificate cannot be used; the message says why, for the operator. */
export class TlsError extends Error {
  override readonly name = 'TlsError';
}

const PEM_CERTIFICATE = '-----BEGIN CERTIFICATE-----';
const PEM_KEY = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/;
const ENCRYPTED_KEY = /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m;

const CHECK_EVERY_MS = 10_000;
const WARN_DAYS = 14;

/**
 * Identifies the state of the files. Changes when a file, or a link that leads to it, is replaced; an unreadable file
 * is a state as well.
 */
async function revisionOf({ certFile, keyFile }: CertificateFiles): Promise<string> {
  const states = [certFile, keyFile].map((file) =>
    stat(file).then(
      ({ dev, ino, size, mtimeMs, ctimeMs }) => [dev, ino, size, mtimeMs, ctimeMs].join(':'),
      reasonOf,
    ),
  );
  return (await Promise.all(states)).join(' ');
}

/** Reads both files. Rejects with a TlsError if one is unusable or they do not match. */
export async function readCertificate(files: CertificateFiles): Promise<Certificate> {
  const { certFile, keyFile } = files;
  // Before reading the files, so that a change in between is noticed.
  const revision = await revisionOf(files);
  const cert = await read('TLS_CERT_FILE', certFile);
  const key = await read('TLS_KEY_FILE', keyFile);
  if (!cert.includes(PEM_CERTIFICATE))
    throw new TlsError(`TLS_CERT_FILE ${certFile} holds no certificate in PEM`);
  const own = orTlsError(
    () => new X509Certificate(cert),
    () => `TLS_CERT_FILE ${certFile} holds a certificate that is damaged or incomplete`,
  );
  if (ENCRYPTED_KEY.test(key))
    throw new TlsError(`TLS_KEY_FILE ${keyFile} is encrypted: the service needs a key without a passphrase`);
  if (!PEM_KEY.test(key)) throw new TlsError(`TLS_KEY_FILE ${keyFile} holds no private key in PEM`);
  const ownKey = orTlsError(
    () => createPrivateKey(key),
    () => `TLS_KEY_FILE ${keyFile} holds a key that is damaged or incomplete`,
  );
  if (!own.checkPrivateKey(ownKey))
    throw new TlsError(
      `TLS_KEY_FILE ${keyFile} does not belong to the first certificate of TLS_CERT_FILE ${certFile}`,
    );
  orTlsError(
    () => createSecureContext({ cert, key }),
    (error) => `TLS_CERT_FILE ${certFile} cannot be used: ${reasonOf(error)}`,
  );
  const [validFrom, validTo] = [new Date(own.validFrom), new Date(own.validTo)];
  return { cert, key, names: own.subjectAltName ?? '', validFrom, validTo, revision };
}

async function read(variable: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new TlsError(`${variable} ${file} cannot be read: ${reasonOf(error)}`);
  }
}

function orTlsError<Made>(make: () => Made, messageOf: (error: unknown) => string): Made {
  try {
    return make();
  } catch (error) {
    throw new TlsError(messageOf(error));
  }
}

export interface CertificateWatchOptions extends CertificateFiles {
  /** The certificate in use. */
  readonly certificate: Certificate;
  /** Switches to another certificate. */
  readonly use: (certificate: Certificate) => void;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** Milliseconds between checks of the files; default 10,000. */
  readonly checkEveryMs?: number;
  /** Milliseconds since 1970; for tests. */
  readonly now?: () => number;
}

/**
 * Checks the files regularly and switches to new ones. An unusable pair leaves the old one in use; it is logged once
 * and tried again. Warns once a day when the certificate is about to expire. Returns a function that stops the checks.
 */
export function watchCertificate(options: CertificateWatchOptions): () => void {
  const { use, logger, checkEveryMs = CHECK_EVERY_MS, now = Date.now } = options;
  let { certificate } = options;
  let refused: string | undefined;
  let warnedDays: number | undefined;
  let isChecking = false;

  async function check(): Promise<void> {
    if (isChecking) return;
    isChecking = true;
    const revision = await revisionOf(options);
    if (revision !== certificate.revision)
      try {
        const next = await readCertificate(options);
        use(next);
        certificate = next;
        warnedDays = refused = undefined;
        logger.info('certificate reloaded', summaryOf(next));
      } catch (error) {
        const reason = reasonOf(error);
        if (refused !== revision)
          logger.warn('the new certificate is not usable, the old one stays in use', { reason });
        refused = revision;
      }
    warnOfTime();
    isChecking = false;
  }

  function warnOfTime(): void {
    const days = Math.floor((certificate.validTo.getTime() - now()) / DAY_MS);
    const early = certificate.validFrom.getTime() > now();
    if (days === warnedDays || (days >= WARN_DAYS && !early)) return;
    warnedDays = days;
    const reason = early ? 'is not valid yet' : days < 0 ? 'has expired' : 'expires soon';
    logger.warn('the certificate in TLS_CERT_FILE must be replaced', { reason, ...summaryOf(certificate) });
  }

  logger.info('certificate loaded', summaryOf(certificate));
  warnOfTime();
  const timer = setInterval(() => void check(), checkEveryMs).unref();
  return () => {
    clearInterval(timer);
  };
}

function summaryOf({ names, validFrom, validTo }: Certificate): Readonly<Record<string, string>> {
  return { names, from: validFrom.toISOString(), until: validTo.toISOString() };
}
