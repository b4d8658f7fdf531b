import type { RequestContext } from '../../http/context.ts';
import { receiveParts } from '../../http/multipart.ts';
import { type FormFiles, type UploadForm, createForm } from './form.ts';

/**
 * Reads a form with a file `photo`, which goes into a file piece by piece as it arrives, perhaps a file `thumbnail`, for
 * which `openThumbnail` is called, and a text `caption`. A `digest` is made of all that a form without faults has.
 * Rejects like `receiveParts`.
 */
export async function receiveForm(
  context: Pick<RequestContext, 'request' | 'watchBody' | 'recheck'>,
  files: FormFiles,
): Promise<UploadForm> {
  const form = createForm(files);
  await receiveParts(context, form);
  return form.result();
}
