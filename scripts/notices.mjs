// The licences of the libraries bundled into dist/, which require a notice in every copy.
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** The folders of the packages that these modules belong to. */
function packagesOf(moduleIds) {
  const folders = moduleIds.flatMap((id) => {
    const [folder] = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/u.exec(id) ?? [];
    return folder === undefined ? [] : [folder];
  });
  return [...new Set(folders)].sort();
}

function noticeOf(folder) {
  const { name, version, license, author } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)(\.|$)/iu.test(entry));
  const text =
    file !== undefined && existsSync(`${folder}/${file}`)
      ? readFileSync(`${folder}/${file}`, 'utf8').trim()
      : `${license}, ${typeof author === 'string' ? author : (author?.name ?? '')}`;
  return `${name} ${version} (${license})\n\n${text}\n`;
}

/** One text with the licence of every library in the bundle. */
export function noticesFor(moduleIds) {
  const notices = packagesOf(moduleIds).map(noticeOf);
  const intro = 'botctl contains parts of these libraries, each under its own licence.\n';
  return [intro, ...notices].join(`\n${'-'.repeat(80)}\n\n`);
}
