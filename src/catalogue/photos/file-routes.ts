import { IMMUTABLE } from '../../http/conditional.ts';
import type { RequestContext } from '../../http/context.ts';
import { notFound } from '../../http/errors.ts';
import { fileReply } from '../../http/ranges.ts';
import type { Reply } from '../../http/reply.ts';
import type { Route } from '../../http/router.ts';
import { type PhotoFiles, isPhotoName } from './files.ts';
import type { PhotoStore } from './store.ts';

export interface PhotoFileRouteOptions {
  readonly files: Pick<PhotoFiles, 'sizeOf' | 'read'>;
  readonly store: Pick<PhotoStore, 'typeOf'>;
}

/** `/api/uploads/menu_photos`. */
export function photoFileRoutes(options: PhotoFileRouteOptions): readonly Route[] {
  return [
    {
      method: 'GET',
      pattern: '/api/uploads/menu_photos/:filename',
      access: 'public',
      body: 'none',
      limit: 'files',
      operationId: 'getPhotoFile',
      handle: (context) => serve(context, options),
    },
  ];
}

/** The row decides what there is: a deleted photo is gone at once, though its file stays for a while. */
async function serve(context: RequestContext, { files, store }: PhotoFileRouteOptions): Promise<Reply> {
  const filename = context.parameters.get('filename') ?? '';
  const type = isPhotoName(filename) ? store.typeOf(filename) : undefined;
  const size = type === undefined ? undefined : await files.sizeOf(filename);
  if (type === undefined || size === undefined) throw notFound('Photo');
  return fileReply(context, {
    size,
    // What has this name never changes.
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
