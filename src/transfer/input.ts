import { type Parsed, choiceField, cleanFilename, parsed, readFields } from '../kit/input/fields.ts';
import { ENCODINGS } from './encoding.ts';
import { FORMATS, type FileForm, formatOfFile } from './formats.ts';
import type { ImportForm } from './form.ts';

/** What is to be imported, and how. */
export interface AskedImport extends FileForm {
  /** The name of the file, for the list of batches. */
  readonly name: string | null;
  readonly isDryRun: boolean;
}

const ANSWERS = ['true', 'false'] as const;

/** The form of an import. An empty field counts as absent. */
export function parseImport({ filename, fields: texts, faults }: ImportForm): Parsed<AskedImport> {
  const fields = { ...readFields(Object.fromEntries([...texts].map(valueOf))), faults: [...faults] };
  const format = choiceField(fields, 'format', FORMATS) ?? formatOfFile(filename ?? '');
  if (!format && fields.faults.length === 0)
    fields.faults.push(
      `format must be one of ${FORMATS.join(', ')}, as the name of the file does not tell it`,
    );
  return parsed(fields, {
    format: format ?? 'csv',
    encoding: choiceField(fields, 'encoding', ENCODINGS),
    isDryRun: choiceField(fields, 'dry_run', ANSWERS) === 'true',
    name: cleanFilename(filename),
  });
}

/** One that came twice is no choice that there is. */
function valueOf([name, all]: readonly [string, readonly string[]]): readonly [string, unknown] {
  const given = all.length === 1 ? all[0] : all;
  return [name, given === '' ? undefined : given];
}
