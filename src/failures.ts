import { HttpError, conflict, unavailable } from './http/errors.ts';
import { isUniqueViolation, storageFailure } from './storage/failures.ts';
import { StorageFailedError } from './storage/transaction.ts';

/** The public form of a failure of the storage; undefined when it is none. */
export function classifyFailure(error: unknown): HttpError | undefined {
  if (isUniqueViolation(error)) return conflict('Record already exists');
  switch (error instanceof StorageFailedError ? 'failed' : storageFailure(error)) {
    case 'full':
      return new HttpError(507, 'Storage is full');
    case 'busy':
      return unavailable('Storage is busy. Please try again.', 1);
    case 'exhausted':
      return unavailable('Too many files are open. Please try again.', 1);
    case 'failed':
      return unavailable('Storage has failed; the service must be restarted', 60);
    case undefined:
      return undefined;
  }
}
