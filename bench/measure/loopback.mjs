// The smallest service that takes messages and transfers: what is measured is the client. It tells its port.
import { createServer } from 'node:http';

let taken = 0;
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    taken += 1;
    const message = { id: `msg_${taken}`, conversation_id: 'conv_demo' };
    const done = { message, transfer_id: `t${taken}`, signature: `s${taken}`, status: 'confirmed' };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(done));
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
