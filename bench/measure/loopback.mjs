// The smallest service that takes messages and transfers: what is measured is the client. With KEY and CERT in the
// environment it speaks https, at the address that the delayed network gives it. It tells its port.
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';

const { KEY: key, CERT: cert } = process.env;
let taken = 0;
const reply = (request, response) => {
  request.resume().on('end', () => {
    taken += 1;
    const message = { id: `msg_${taken}`, conversation_id: 'conv_demo' };
    const done = { message, transfer_id: `t${taken}`, signature: `s${taken}`, status: 'confirmed' };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(done));
  });
};
const server = key === undefined ? createServer(reply) : createSecureServer({ key, cert }, reply);
server.listen(0, key === undefined ? '127.0.0.1' : '10.77.0.1', () => console.log(server.address().port));
