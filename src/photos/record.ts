/** A photo as the database returns it. */
export interface PhotoRecord {
  readonly id: number;
  readonly restaurant_id: number;
  /** Random, and never the client's. */
  readonly filename: string;
  readonly original_filename: string | null;
  readonly caption: string;
  /** Bytes. */
  readonly file_size: number;
  readonly mime_type: string;
  /** Pixels, as a viewer shows it. */
  readonly width: number;
  readonly height: number;
  readonly created_at: string;
  readonly updated_at: string;
}

/** A photo as it is stored, with its owner. */
export interface StoredPhoto extends PhotoRecord {
  readonly author_id: number | null;
}

/** The names of its fields in an answer; that to an upload has the whole in `photo`, too. */
export const PHOTO_ANSWER = Object.keys({
  ...{ id: true, restaurant_id: true, filename: true, original_filename: true, caption: true },
  ...{ file_size: true, mime_type: true, width: true, height: true, created_at: true, updated_at: true },
  ...{ url: true, photo: true },
} satisfies Record<keyof PhotoRecord | 'url' | 'photo', true>);

/** The menu photo of the API. */
export function photoJson(record: PhotoRecord): object {
  const { created_at, updated_at, ...own } = record;
  return { ...own, url: `/api/uploads/menu_photos/${record.filename}`, created_at, updated_at };
}
