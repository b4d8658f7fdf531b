import { type KeyObject, X509Certificate, createPrivateKey } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { reasonOf } from '../system-error.ts';

/** Where the certificate and its key lie. */
export interface CertificateFiles {
  /** PEM, the whole chain, the service's own certificate first. */
  readonly certFile: string;
  readonly keyFile: string;
}

/** A certificate and its key, checked. */
export interface Certificate {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
  /** The names it is valid for, as they stand in it; empty when there are none. */
  readonly names: string;
  readonly validFrom: Date;
  readonly validTo: Date;
  /** Another one for each state of the files. */
  readonly revision: string;
}

/** The certificate cannot be used; the message says what an operator can do. */
export class TlsError extends Error {
  override readonly name = 'TlsError';
}

const PEM_CERTIFICATE = '-----BEGIN CERTIFICATE-----';
const PEM_KEY = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/;
const ENCRYPTED_KEY = /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m;

/**
 * The state of the files: another text once one of them, or a link on the way to it, leads to something new. A file
 * that cannot be read is a state too.
 */
export async function revisionOf({ certFile, keyFile }: CertificateFiles): Promise<string> {
  const states = [certFile, keyFile].map((file) =>
    stat(file).then(
      ({ dev, ino, size, mtimeMs, ctimeMs }) => [dev, ino, size, mtimeMs, ctimeMs].join(':'),
      (error: unknown) => reasonOf(error),
    ),
  );
  return (await Promise.all(states)).join(' ');
}

/** Reads both files. Rejects with a TlsError when one cannot be used, or they do not belong together. */
export async function readCertificate(files: CertificateFiles): Promise<Certificate> {
  // Taken before the files are read, so that a change in between is seen as one.
  const revision = await revisionOf(files);
  const cert = await read('TLS_CERT_FILE', files.certFile);
  const key = await read('TLS_KEY_FILE', files.keyFile);
  const own = parseCertificate(cert, files.certFile);
  if (!own.checkPrivateKey(parseKey(key, files.keyFile)))
    throw new TlsError(
      `TLS_KEY_FILE ${files.keyFile} does not belong to the first certificate of TLS_CERT_FILE ${files.certFile}`,
    );
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new TlsError(`TLS_CERT_FILE ${files.certFile} cannot be used: ${reasonOf(error)}`);
  }
  return {
    cert,
    key,
    names: own.subjectAltName ?? '',
    validFrom: new Date(own.validFrom),
    validTo: new Date(own.validTo),
    revision,
  };
}

async function read(variable: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new TlsError(`${variable} ${file} cannot be read: ${reasonOf(error)}`);
  }
}

function parseCertificate(cert: string, file: string): X509Certificate {
  if (!cert.includes(PEM_CERTIFICATE))
    throw new TlsError(`TLS_CERT_FILE ${file} holds no certificate in PEM`);
  try {
    return new X509Certificate(cert);
  } catch {
    throw new TlsError(`TLS_CERT_FILE ${file} holds a certificate that is damaged or incomplete`);
  }
}

function parseKey(key: string, file: string): KeyObject {
  if (ENCRYPTED_KEY.test(key))
    throw new TlsError(`TLS_KEY_FILE ${file} is encrypted: the service needs a key without a passphrase`);
  if (!PEM_KEY.test(key)) throw new TlsError(`TLS_KEY_FILE ${file} holds no private key in PEM`);
  try {
    return createPrivateKey(key);
  } catch {
    throw new TlsError(`TLS_KEY_FILE ${file} holds a key that is damaged or incomplete`);
  }
}
