import { setTimeout as pause } from 'node:timers/promises';
import type { Authored, ShowAuthor } from '../authors.ts';
import type { FileHandle } from 'node:fs/promises';
import { type Principal, type RequestContext, idInPath, writerOf } from '../../http/context.ts';
import { notFound, requireValid, unavailable } from '../../http/errors.ts';
import { type Reply, created, noContent, ok, withChange } from '../../http/reply.ts';
import type { Route } from '../../http/router.ts';
import { listReply } from '../../http/list-replies.ts';
import type { SliceReader } from '../../kit/slices.ts';
import type { ChangeLog } from '../../storage/change-log.ts';
import { storageFailure } from '../../storage/failures.ts';
import type { Transactions } from '../../storage/transaction.ts';
import type { Parsed } from '../../kit/input/fields.ts';
import type { PhotoFiles } from './files.ts';
import { FormDigest } from '../../kit/input/form-digest.ts';
import type { Arrival } from './placement.ts';
import { parseCaptionChange, parsePhotoListQuery, parseUpload } from './input.ts';
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
  /** Throws 403 where the caller may not change or remove what `ownerId` uploaded. */
  readonly requireOwner: (principal: Principal | undefined, ownerId: number | null) => void;
}

type Photo = Authored<PhotoRecord>;

// Less than the 30 seconds after which the server cuts a connection on which nothing happens.
const LONGEST_WAIT_MS = 20_000;
const RETRY_SECONDS = 5;

/** `/api/restaurants/{restaurantId}/photos` and `/api/photos` (SPEC, "Menu photos"). */
export function photoRoutes(options: PhotoRouteOptions): readonly Route[] {
  const { list, upload, get, setCaption, remove } = createHandlers(options);
  const all = { pattern: '/api/restaurants/:restaurantId/photos', limit: 'api' } as const;
  const one = { pattern: '/api/photos/:id', limit: 'api', access: 'user' } as const;
  return [
    { ...all, method: 'GET', access: 'public', body: 'none', operationId: 'listPhotos', handle: list },
    { ...all, method: 'POST', access: 'user', body: 'multipart', operationId: 'uploadPhoto', handle: upload },
    { ...one, method: 'GET', access: 'public', body: 'none', operationId: 'getPhoto', handle: get },
    { ...one, method: 'PATCH', body: 'json', operationId: 'setPhotoCaption', handle: setCaption },
    { ...one, method: 'DELETE', body: 'none', operationId: 'deletePhoto', handle: remove },
  ];
}

function createHandlers(options: PhotoRouteOptions) {
  const { store, changeLog, transactions, showAuthor, requireOwner } = options;
  const answer = (photo: Photo): object => photoJson(photo, showAuthor);
  const idOf = ({ parameters }: RequestContext): number => idInPath(parameters, 'id', 'photo');

  /** To be run inside the transaction of the change. */
  function requireOwnPhoto(id: number, principal: Principal | undefined): void {
    const photo = store.stored(id);
    if (!photo) throw notFound('Photo');
    requireOwner(principal, photo.author_id);
  }

  return {
    list: (context) => {
      const { parameters, query } = context;
      const restaurantId = idInPath(parameters, 'restaurantId', 'restaurant');
      const asked = requireValid(parsePhotoListQuery(query), context);
      if (!store.restaurantExists(restaurantId)) throw notFound('Restaurant');
      const read: SliceReader<Photo> = (...part) => store.list(restaurantId, ...part);
      return listReply(context, asked, read, (photo) => JSON.stringify(answer(photo)));
    },
    upload: (context) =>
      upload(context, options).catch((error: unknown) => {
        // A disk that fails to store a photo is the one that the database is on.
        transactions.noteFailure(error);
        throw error;
      }),
    get: (context) => {
      const record = store.get(idOf(context));
      if (!record) throw notFound('Photo');
      return ok(answer(record));
    },
    setCaption: async (context) => {
      const id = idOf(context);
      const caption = requireValid(parseCaptionChange(context.body), context);
      const { result: record, changeId } = await changeLog.write(writerOf(context), (write) => {
        requireOwnPhoto(id, context.principal);
        return store.setCaption(id, caption, write);
      });
      if (!record) throw notFound('Photo');
      return withChange(ok(answer(record)), changeId);
    },
    remove: async (context) => {
      const id = idOf(context);
      const { changeId } = await changeLog.write(writerOf(context), (write) => {
        requireOwnPhoto(id, context.principal);
        store.remove(id, write);
      });
      return withChange(noContent(), changeId);
    },
  } satisfies Readonly<Record<string, Route['handle']>>;
}

/** File before row: a crash at any point leaves no row without its file. */
async function upload(context: RequestContext, options: PhotoRouteOptions): Promise<Reply> {
  const { parameters, idempotency } = context;
  const { store, files, sweeper } = options;
  const restaurantId = idInPath(parameters, 'restaurantId', 'restaurant');
  // One that was answered before may be of a restaurant that was deleted since.
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
    const arrival = await begin();
    const digest = idempotency && new FormDigest();
    const openThumbnail = async (): Promise<FileHandle> => (await begin()).handle;
    const form = await receiveForm(context, { photo: arrival.handle, openThumbnail, digest });
    const thumbnail = form.hasThumbnail ? arrivals[1] : undefined;
    const described = requireValid(await withThumbnailFaults(parseUpload(form), thumbnail, files), context);
    const answered = digest && idempotency.replay(digest.result());
    if (answered) return answered;
    const placed = requireValid(await files.place(arrival, thumbnail), context);
    return await enter({ ...placed, ...described, restaurantId }, context, options);
  } finally {
    await Promise.all(arrivals.map((arrival) => files.end(arrival)));
  }
}

/** A form that is refused is refused for all of its faults. */
async function withThumbnailFaults<Form>(
  form: Parsed<Form>,
  thumbnail: Arrival | undefined,
  { thumbnailFaults }: PhotoFiles,
): Promise<Parsed<Form>> {
  if (form.ok || !thumbnail) return form;
  return { ok: false, faults: [...form.faults, ...(await thumbnailFaults(thumbnail))] };
}

/** At a start photo files are checked first. Throws 503 when that takes longer than a client should wait. */
async function waitUntilOpen({ opened }: Pick<PhotoSweeper, 'opened'>): Promise<void> {
  const wait = pause(LONGEST_WAIT_MS, 'waited', { ref: false });
  if ((await Promise.race([opened(), wait])) === 'waited')
    throw unavailable('Photo files are being checked. Please try again.', RETRY_SECONDS);
}

/** Writes the row of files that are in their places. Without a row they go, unless it is unknown whether there is one. */
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
