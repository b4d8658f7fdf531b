import { HttpError, WorkFailedError, conflict, unavailable } from './errors.ts';
import { isUniqueViolation, storageFailure } from '../storage/failures.ts';
import { StorageFailedError } from '../storage/transaction.ts';
import { ProgramReplacedError } from '../kit/threads.ts';

/** The public form of a failure of the storage or of the install; undefined when it is neither. */
export function classifyFailure(error: unknown): HttpError | undefined {
  const known = classify(error);
  if (!known || !(error instanceof WorkFailedError) || error.stored === undefined) return known;
  return new HttpError(known.status, `${known.message}; ${error.stored}`, known.headers);
}

function classify(error: unknown): HttpError | undefined {
  if (isUniqueViolation(error)) return conflict('Record already exists');
  if (error instanceof ProgramReplacedError)
    return unavailable('The program was replaced; the service must be restarted', 60);
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
