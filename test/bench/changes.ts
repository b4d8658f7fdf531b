import { measurePages } from './changes-pages.ts';
import { measureRevert } from './changes-revert.ts';
import { measureStreams } from './changes-stream.ts';

// Measures the change log; with names as arguments, those parts alone.
const PARTS = { pages: measurePages, streams: measureStreams, revert: measureRevert };

const wanted = process.argv.slice(2);
for (const [name, measure] of Object.entries(PARTS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const stops: (() => void | Promise<void>)[] = [];
  try {
    await measure({ after: (stop) => stops.unshift(stop) });
  } finally {
    for (const stop of stops) await stop();
  }
}
