import { setTimeout as pause } from 'node:timers/promises';
import { IMMUTABLE } from '../../http/conditional.ts';
import { type Principal, type RequestContext, idInPath, writerOf } from '../../http/context.ts';
import { notFound, requireValid, unavailable } from '../../http/errors.ts';
import { listReply } from '../../http/list-replies.ts';
import { fileReply } from '../../http/ranges.ts';
import { type Reply, created, noContent, ok, withChange } from '../../http/reply.ts';
import type { Route } from '../../http/router.ts';
import { parseListPart } from '../../kit/input/query.ts';
import type { SliceReader } from '../../kit/slices.ts';
import type { ChangeLog } from '../../storage/change-log.ts';
import { storageFailure } from '../../storage/failures.ts';
import type { Transactions } from '../../storage/transaction.ts';
import type { Authored, ShowAuthor } from '../authors.ts';
import { type Arrival, type PhotoFiles, isPhotoName } from './files.ts';
import { parseCaptionChange, parseUpload } from './input.ts';
import { type PhotoRecord, photoJson } from './record.ts';
import type { NewPhoto, PhotoStore } from './store.ts';
import type { PhotoSweeper } from './sweep.ts';
import { receiveForm } from './upload.ts';

export interface PhotoRouteOptions {
  readonly store: PhotoStore;
  readonly files: PhotoFiles;
  readonly changeLog: ChangeLog;
  readonly transactions: Pick<Transactions, 'noteFailure'>;
  readonly sweeper: Pick<PhotoSweeper, 'opened'>;
  readonly showAuthor: ShowAuthor;
  /** Throws 403 if the caller may not change or delete a photo of `ownerId`. */
  readonly requireOwner: (principal: Principal | undefined, ownerId: number | null) => void;
}

// Less than the 30 seconds after which the server closes idle connections.
const LONGEST_WAIT_MS = 20_000;
const RETRY_SECONDS = 5;

/** `/api/restaurants/{restaurantId}/photos`, `/api/photos` and `/api/uploads/menu_photos`. */
export function photoRoutes(options: PhotoRouteOptions): readonly Route[] {
  const { store, files, changeLog, transactions, showAuthor, requireOwner } = options;
  const answer = (photo: Authored<PhotoRecord>): object => photoJson(photo, showAuthor);
  const idOf = ({ parameters }: RequestContext): number => idInPath(parameters, 'id', 'photo');

  function list(context: RequestContext): Promise<Reply> {
    const { parameters, query } = context;
    const restaurantId = idInPath(parameters, 'restaurantId', 'restaurant');
    const part = requireValid(parseListPart(query), context);
    if (!store.restaurantExists(restaurantId)) throw notFound('Restaurant');
    const read: SliceReader<Authored<PhotoRecord>> = (...slice) => store.list(restaurantId, ...slice);
    return listReply(context, part, read, (photo) => JSON.stringify(answer(photo)));
  }

  async function create(context: RequestContext): Promise<Reply> {
    try {
      return await upload(context, options);
    } catch (error) {
      // The database is on the same disk.
      transactions.noteFailure(error);
      throw error;
    }
  }

  function get(context: RequestContext): Reply {
    const record = store.get(idOf(context));
    if (!record) throw notFound('Photo');
    return ok(answer(record));
  }

  /** Must run inside the transaction of the change. */
  function requireOwnPhoto(id: number, principal: Principal | undefined): void {
    const photo = store.stored(id);
    if (!photo) throw notFound('Photo');
    requireOwner(principal, photo.author_id);
  }

  async function setCaption(context: RequestContext): Promise<Reply> {
    const id = idOf(context);
    const caption = requireValid(parseCaptionChange(context.body), context);
    const { result: record, changeId } = await changeLog.write(writerOf(context), (write) => {
      requireOwnPhoto(id, context.principal);
      return store.setCaption(id, caption, write);
    });
    if (!record) throw notFound('Photo');
    return withChange(ok(answer(record)), changeId);
  }

  async function remove(context: RequestContext): Promise<Reply> {
    const id = idOf(context);
    const { changeId } = await changeLog.write(writerOf(context), (write) => {
      requireOwnPhoto(id, context.principal);
      store.remove(id, write);
    });
    return withChange(noContent(), changeId);
  }

  /** Checks the row, not the disk: a deleted photo is gone at once, though its file stays for a while. */
  async function getFile(context: RequestContext): Promise<Reply> {
    const filename = context.parameters.get('filename') ?? '';
    const type = isPhotoName(filename) ? store.typeOf(filename) : undefined;
    const size = type === undefined ? undefined : await files.sizeOf(filename);
    if (type === undefined || size === undefined) throw notFound('Photo');
    return fileReply(context, {
      size,
      // The content of a file never changes.
      tag: `"${filename}"`,
      caching: IMMUTABLE,
      headers: {
        'Content-Type': type,
        'Content-Disposition': `inline; filename="${filename}"`,
        'Content-Security-Policy': "default-src 'none'; sandbox",
      },
      read: (start, end) => files.read(filename, start, end),
    });
  }

  const all = { pattern: '/api/restaurants/:restaurantId/photos', limit: 'api' } as const;
  const one = { pattern: '/api/photos/:id', limit: 'api', access: 'user' } as const;
  const file = { pattern: '/api/uploads/menu_photos/:filename', limit: 'files' } as const;
  const read = { method: 'GET', access: 'public', body: 'none' } as const;
  return [
    { ...all, ...read, operationId: 'listPhotos', handle: list },
    { ...all, method: 'POST', access: 'user', body: 'multipart', operationId: 'uploadPhoto', handle: create },
    { ...one, ...read, operationId: 'getPhoto', handle: get },
    { ...one, method: 'PATCH', body: 'json', operationId: 'setPhotoCaption', handle: setCaption },
    { ...one, method: 'DELETE', body: 'none', operationId: 'deletePhoto', handle: remove },
    { ...file, ...read, operationId: 'getPhotoFile', handle: getFile },
  ];
}

/** Stores the file before the row, so that a crash never leaves a row without its file. */
async function upload(context: RequestContext, options: PhotoRouteOptions): Promise<Reply> {
  const { parameters, idempotency } = context;
  const { store, files, sweeper } = options;
  const restaurantId = idInPath(parameters, 'restaurantId', 'restaurant');
  // A repeated request gets its stored response, even if the restaurant has been deleted since.
  if (idempotency?.isRepeated !== true && !store.restaurantExists(restaurantId)) throw notFound('Restaurant');
  await waitUntilOpen(sweeper);
  context.inviteBody();
  const arrivals: Arrival[] = [];
  const begin = async (): Promise<Arrival> => {
    const arrival = await files.begin();
    arrivals.push(arrival);
    return arrival;
  };
  try {
    const photo = await begin();
    const form = await receiveForm(context, {
      photo: photo.handle,
      openThumbnail: async () => (await begin()).handle,
    });
    const thumbnail = form.hasThumbnail ? arrivals[1] : undefined;
    let described = parseUpload(form);
    // Report all faults of the form at once.
    if (!described.ok && thumbnail)
      described = {
        ...described,
        faults: [...described.faults, ...(await files.thumbnailFaults(thumbnail))],
      };
    const own = requireValid(described, context);
    const answered = idempotency?.replayForm();
    if (answered) return answered;
    const placed = requireValid(await files.place(photo, thumbnail), context);
    return await enter({ ...placed, ...own, restaurant_id: restaurantId }, context, options);
  } finally {
    await Promise.all(arrivals.map((arrival) => files.end(arrival)));
  }
}

/** Waits for the check of photo files after a start. Throws 503 if that takes longer than a client should wait. */
async function waitUntilOpen(sweeper: Pick<PhotoSweeper, 'opened'>): Promise<void> {
  const wait = pause(LONGEST_WAIT_MS, 'waited', { ref: false });
  if ((await Promise.race([sweeper.opened(), wait])) === 'waited')
    throw unavailable('Photo files are being checked. Please try again.', RETRY_SECONDS);
}

/** Writes the row of placed files. If that fails, removes the files, unless the row may have been written after all. */
async function enter(
  photo: NewPhoto,
  context: RequestContext,
  { store, files, changeLog, showAuthor }: PhotoRouteOptions,
): Promise<Reply> {
  try {
    const { result } = await changeLog.write(writerOf(context), (write) => {
      const record = store.create(photo, write);
      if (!record) throw notFound('Restaurant');
      const json = photoJson(record, showAuthor);
      const answer = created(`/api/photos/${record.id}`, { ...json, photo: json });
      return context.storeAnswer(withChange(answer, write.changeId()));
    });
    return result;
  } catch (error) {
    if (storageFailure(error) !== 'failed')
      for (const file of [photo, photo.thumbnail]) if (file) await files.remove(file.filename);
    throw error;
  }
}
