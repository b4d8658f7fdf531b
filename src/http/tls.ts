import { constants } from 'node:crypto';
import type { SecureContextOptions, TlsOptions } from 'node:tls';
import { type Certificate, type CertificateFiles, readCertificate, revisionOf } from './certificate.ts';
import type { Logger } from './log.ts';

const CHECK_EVERY_MS = 10_000;
const DAY_MS = 24 * 60 * 60 * 1_000;
const WARN_DAYS = 14;

// Forward secrecy and authenticated encryption alone: what every client since 2014 speaks.
const CIPHERS = [
  ...['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'],
  ...['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ...['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ...['ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
].join(':');

/**
 * How the service speaks TLS: 1.2 and 1.3, HTTP/1.1 alone, 10 s for a handshake, none in the middle of a connection
 * for the sake of the processor. All of it must be set again with a new certificate: Node forgets what is left out.
 */
export function tlsSettings({ cert, key }: Certificate): TlsOptions & SecureContextOptions {
  return {
    cert,
    key,
    minVersion: 'TLSv1.2',
    ciphers: CIPHERS,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    ALPNProtocols: ['http/1.1'],
    handshakeTimeout: 10_000,
  };
}

export interface CertificateWatchOptions extends CertificateFiles {
  /** In use now. */
  readonly certificate: Certificate;
  /** Puts another into use. */
  readonly use: (certificate: Certificate) => void;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** Milliseconds between two checks of the files; default 10,000. */
  readonly checkEveryMs?: number;
  /** Milliseconds since 1970; for tests. */
  readonly now?: () => number;
}

/**
 * Checks the files again and again and puts what is new there into use. A pair that cannot be used leaves the old one in
 * use, is logged once, and is tried again. Warns once a day of a certificate that is about to expire. Returns the
 * function that ends the watch.
 */
export function watchCertificate(options: CertificateWatchOptions): () => void {
  const { use, logger, checkEveryMs = CHECK_EVERY_MS, now = Date.now } = options;
  let { certificate } = options;
  let refused: string | undefined;
  let warnedDays: number | undefined;
  let isChecking = false;

  async function reload(): Promise<void> {
    const revision = await revisionOf(options);
    if (revision === certificate.revision) return;
    try {
      const next = await readCertificate(options);
      use(next);
      certificate = next;
      warnedDays = refused = undefined;
      logger.info('certificate reloaded', summaryOf(next));
    } catch (error) {
      if (refused !== revision)
        logger.warn('the new certificate is not usable, the old one stays in use', {
          reason: error instanceof Error ? error.message : String(error),
        });
      refused = revision;
    }
  }

  function warnOfTime(): void {
    const days = Math.floor((certificate.validTo.getTime() - now()) / DAY_MS);
    const early = certificate.validFrom.getTime() > now();
    if (days === warnedDays || (days >= WARN_DAYS && !early)) return;
    warnedDays = days;
    const reason = early ? 'is not valid yet' : days < 0 ? 'has expired' : 'expires soon';
    logger.warn('the certificate in TLS_CERT_FILE wants another', { reason, ...summaryOf(certificate) });
  }

  async function check(): Promise<void> {
    if (isChecking) return;
    isChecking = true;
    await reload();
    warnOfTime();
    isChecking = false;
  }

  logger.info('certificate loaded', summaryOf(certificate));
  warnOfTime();
  const timer = setInterval(() => void check(), checkEveryMs).unref();
  return () => {
    clearInterval(timer);
  };
}

function summaryOf({ names, validFrom, validTo }: Certificate): {
  names: string;
  from: string;
  until: string;
} {
  return { names, from: validFrom.toISOString(), until: validTo.toISOString() };
}
