import { HttpError, conflict, unavailable } from './http/errors.ts';
import { isDatabaseFailure, isUniqueViolation, storageFailure } from './storage/failures.ts';
import { StorageFailedError, type Transactions } from './storage/transaction.ts';

/** The public form of a failure of the storage; undefined when it is none. */
export function classifyFailure(error: unknown): HttpError | undefined {
  if (error instanceof StorageFailedError)
    return unavailable('Storage has failed; the service must be restarted', 60);
  if (isUniqueViolation(error)) return conflict('Record already exists');
  switch (storageFailure(error)) {
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

/**
 * Reports to the storage that a read found the database broken. A photo that cannot be read is a
 * fault of that photo alone; a page of the database may belong to anything.
 */
export function noteDatabaseFailure({
  noteFailure,
}: Pick<Transactions, 'noteFailure'>): (error: unknown) => void {
  return (error) => {
    if (isDatabaseFailure(error)) noteFailure(error);
  };
}
