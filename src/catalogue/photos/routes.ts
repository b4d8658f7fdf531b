import { setTimeout as pause } from 'node:timers/promises';
import { IMMUTABLE } from '../../http/conditional.ts';
import {
  type Principal,
  type RequestContext,
  authorIdOf,
  idInPath,
  replyOfWrite,
} from '../../http/context.ts';
import { notFound, requireFound, requireValid, unavailable } from '../../http/errors.ts';
import { listReply } from '../../http/list-replies.ts';
import { fileReply } from '../../http/ranges.ts';
import { type Reply, created, noContent, ok } from '../../http/reply.ts';
import { FOR_USER, PUBLIC_FILE, PUBLIC_READ, type Route } from '../../http/router.ts';
import { parseListPart } from '../../kit/input/query.ts';
import type { SliceReader } from '../../kit/slices.ts';
import { storageFailure } from '../../storage/failures.ts';
import type { Transactions } from '../../storage/transaction.ts';
import type { Authored } from '../authors.ts';
import type { CatalogueParts } from '../parts.ts';
import { type Arrival, isPhotoName } from './files.ts';
import { parseCaptionChange } from './input.ts';
import { type PhotoRecord, photoJson } from './record.ts';
import type { NewPhoto } from './store.ts';
import type { OpenPhotos, PhotoSweeper } from './sweep.ts';
import { receiveForm } from './upload.ts';

// Less than the 30 seconds after which the server closes idle connections.
const LONGEST_WAIT_MS = 20_000;
const RETRY_SECONDS = 5;

/** `/api/restaurants/{restaurantId}/photos`, `/api/photos` and `/api/uploads/menu_photos`. */
export function photoRoutes(
  { stores: { photos: store }, changeLog, showAuthor, requireOwner }: CatalogueParts,
  { files, sweeper }: OpenPhotos,
  transactions: Pick<Transactions, 'noteFailure'>,
): readonly Route[] {
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

  /** Stores the file before the row, so that a crash never leaves a row without its file. */
  async function create(context: RequestContext): Promise<Reply> {
    const { parameters, idempotency } = context;
    const restaurantId = idInPath(parameters, 'restaurantId', 'restaurant');
    // A repeated request gets its stored response, even if the restaurant has been deleted since.
    if (idempotency?.isRepeated !== true) {
      if (!store.restaurantExists(restaurantId)) throw notFound('Restaurant');
      changeLog.checkAdded(authorIdOf(context));
    }
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
      let { fields } = form;
      // Report all faults of the form at once.
      if (!fields.ok && thumbnail)
        fields = { ...fields, faults: [...fields.faults, ...(await files.thumbnailFaults(thumbnail))] };
      const own = requireValid(fields, context);
      const answered = idempotency?.replayForm();
      if (answered) return answered;
      const placed = requireValid(await files.place(photo, thumbnail), context);
      return await enter({ ...placed, ...own, restaurant_id: restaurantId }, context);
    } catch (error) {
      // The database is on the same disk.
      transactions.noteFailure(error);
      throw error;
    } finally {
      await Promise.all(arrivals.map((arrival) => files.end(arrival)));
    }
  }

  /** Writes the row of placed files. If that fails, removes the files, unless the row may have been written after all. */
  async function enter(photo: NewPhoto, context: RequestContext): Promise<Reply> {
    try {
      return await replyOfWrite(context, changeLog, (write) => {
        const record = requireFound(store.create(photo, write), 'Restaurant');
        const json = answer(record);
        return created(`/api/photos/${record.id}`, { ...json, photo: json });
      });
    } catch (error) {
      if (storageFailure(error) !== 'failed')
        for (const file of [photo, photo.thumbnail]) if (file) await files.remove(file.filename);
      throw error;
    }
  }

  function get(context: RequestContext): Reply {
    return ok(answer(requireFound(store.get(idOf(context)), 'Photo')));
  }

  /** Must run inside the transaction of the change. */
  function requireOwnPhoto(id: number, principal: Principal | undefined): void {
    requireOwner(principal, requireFound(store.stored(id), 'Photo').author_id);
  }

  function setCaption(context: RequestContext): Promise<Reply> {
    const id = idOf(context);
    const caption = requireValid(parseCaptionChange(context.body), context);
    return replyOfWrite(context, changeLog, (write) => {
      requireOwnPhoto(id, context.principal);
      return ok(answer(requireFound(store.setCaption(id, caption, write), 'Photo')));
    });
  }

  function remove(context: RequestContext): Promise<Reply> {
    const id = idOf(context);
    return replyOfWrite(context, changeLog, (write) => {
      requireOwnPhoto(id, context.principal);
      store.remove(id, write);
      return noContent();
    });
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

  const user = { ...FOR_USER, answers: 'public' } as const;
  const all = { pattern: '/api/restaurants/:restaurantId/photos' };
  const one = { pattern: '/api/photos/:id' };
  const file = { pattern: '/api/uploads/menu_photos/:filename' };
  return [
    { ...PUBLIC_READ, ...all, operationId: 'listPhotos', handle: list },
    { ...user, ...all, method: 'POST', body: 'multipart', operationId: 'uploadPhoto', handle: create },
    { ...PUBLIC_READ, ...one, operationId: 'getPhoto', handle: get },
    { ...user, ...one, method: 'PATCH', body: 'json', operationId: 'setPhotoCaption', handle: setCaption },
    { ...user, ...one, method: 'DELETE', body: 'none', operationId: 'deletePhoto', handle: remove },
    { ...PUBLIC_FILE, ...file, operationId: 'getPhotoFile', handle: getFile },
  ];
}

/** Waits for the check of photo files after a start. Throws 503 if that takes longer than a client should wait. */
async function waitUntilOpen(sweeper: Pick<PhotoSweeper, 'opened'>): Promise<void> {
  const wait = pause(LONGEST_WAIT_MS, 'waited', { ref: false });
  if ((await Promise.race([sweeper.opened(), wait])) === 'waited')
    throw unavailable('Photo files are being checked. Please try again.', RETRY_SECONDS);
}
