const [url, content] = process.argv.slice(2);
const headers = { authorization: 'Bot bench', 'content-type': 'application/json' };
console.log(await (await fetch(url, { method: 'POST', headers, body: JSON.stringify({ content }) })).text());
