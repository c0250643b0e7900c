// npm run docs: writes the documents that are made from the program's own tables. A test fails if they are outdated.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { pagesWithTables, withTables } from './pages.ts';
import { publishedPolicySchema } from './schema/policySchema.ts';
import { publishedPage, publishedSchema } from './schema/publish.ts';

mkdirSync('docs', { recursive: true });
writeFileSync('docs/botctl-1.schema.json', `${JSON.stringify(publishedSchema(), null, 2)}\n`);
writeFileSync('docs/botctl-policy-1.schema.json', `${JSON.stringify(publishedPolicySchema(), null, 2)}\n`);
writeFileSync('docs/json.md', publishedPage());
for (const path of pagesWithTables) writeFileSync(path, withTables(path, readFileSync(path, 'utf8')));
console.log(`wrote docs/botctl-1.schema.json, docs/json.md and the tables of ${pagesWithTables.join(', ')}`);
