// Says what each language of the app lacks: npm run texts
import { LANGUAGES, compare } from '../support/languages.ts';

for (const tag of LANGUAGES) {
  const { missing, faults } = compare(tag);
  process.stdout.write(`${tag}: ${missing.length === 0 ? 'complete' : `${missing.length} missing`}\n`);
  for (const way of missing) process.stdout.write(`  missing: ${way}\n`);
  for (const fault of faults) process.stdout.write(`  wrong: ${fault}\n`);
}
