// npm run docs: writes what is made from the program's own tables. A test fails where it was forgotten.
import { mkdirSync, writeFileSync } from 'node:fs';
import { publishedPage, publishedSchema } from '../src/schema/publish.ts';

mkdirSync('docs', { recursive: true });
writeFileSync('docs/botctl-1.schema.json', `${JSON.stringify(publishedSchema(), null, 2)}\n`);
writeFileSync('docs/json.md', publishedPage());
console.log('wrote docs/botctl-1.schema.json and docs/json.md');
