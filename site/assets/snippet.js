// Code for a request in several languages, with a tab for each.

import {h} from './dom.js';
import {address} from './api.js';
import {copyButton} from './page.js';
import {t} from './text.js';

// A request is {path, query, tool, args}: the route with its query, and the same call as an MCP tool with its arguments.

const ways = {
	curl: (url) => `curl '${url}'`,
	JavaScript: (url) => `const response = await fetch(${JSON.stringify(url)});\nif (!response.ok) throw new Error((await response.json()).detail);\nconsole.log(await response.json());`,
	Python: (url) => `import json, urllib.request\n\nwith urllib.request.urlopen(${JSON.stringify(url)}) as response:\n    print(json.load(response))`,
	Go: (url) => `response, err := http.Get(${JSON.stringify(url)})\nif err != nil {\n\treturn err\n}\ndefer response.Body.Close()\nif response.StatusCode != http.StatusOK {\n\treturn fmt.Errorf("rodata: %s", response.Status)\n}\nreturn json.NewDecoder(response.Body).Decode(&answer)`,
	MCP: (url, request) => `curl ${location.origin}/mcp \\\n  -H 'Content-Type: application/json' \\\n  -H 'Accept: application/json, text/event-stream' \\\n  -d '${quoted(JSON.stringify({jsonrpc: '2.0', id: 1, method: 'tools/call', params: {name: request.tool, arguments: request.args}}))}'`,
};

// quoted returns a text in single quotes for a shell.
const quoted = (text) => text.replaceAll("'", "'\\''");

// curl returns a request as a shell command.
export function curl(method, url, body) {
	const data = body === undefined ? '' : ` \\\n  -H 'Content-Type: application/json' \\\n  -d '${quoted(JSON.stringify(body))}'`;
	return `curl ${method === 'GET' ? '' : `-X ${method} `}'${quoted(new URL(url, location.origin).href)}'${data}`;
}

let chosen = 'curl';

// snippets shows a request in all languages, and its response.
export function snippets(request, answer) {
	const url = location.origin + address(request.path, request.query).replaceAll("'", '%27');
	const code = h('code');
	const panel = h('div', {class: 'tabpanel codebox', id: 'snippet', role: 'tabpanel', 'aria-labelledby': `way-${chosen}`},
		h('pre', {class: 'code', tabindex: '0'}, code), copyButton(() => code.textContent));
	const tabs = Object.keys(ways).map((way) => h('button', {type: 'button', role: 'tab', id: `way-${way}`, 'aria-controls': 'snippet', onclick: () => choose(way)}, way));
	const choose = (way) => {
		chosen = way;
		code.textContent = ways[way](url, request);
		panel.setAttribute('aria-labelledby', `way-${way}`);
		for (const tab of tabs) {
			tab.setAttribute('aria-selected', tab.textContent === way);
			tab.tabIndex = tab.textContent === way ? 0 : -1;
		}
	};
	choose(chosen);
	const list = h('div', {class: 'choices', role: 'tablist', 'aria-label': t('snippet.ways'), onkeydown: (event) => {
		const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
		if (!step) return;
		const next = tabs[(tabs.findIndex((tab) => tab.tabIndex === 0) + step + tabs.length) % tabs.length];
		choose(next.textContent);
		next.focus();
	}}, tabs);
	return h('aside', {class: 'card', 'aria-label': t('snippet.heading')},
		h('h3', {}, t('snippet.heading')), list, panel,
		h('p', {class: 'hint'}, t('snippet.key'), ' ', h('a', {href: `/docs/api/${request.tool}`}, t('snippet.reference'))), received(answer),
		h('details', {}, h('summary', {}, t('snippet.json')), h('pre', {class: 'code', tabindex: '0'}, h('code', {}, JSON.stringify(answer.data, null, 2)))));
}

// received summarizes the headers of the response.
export function received(answer) {
	const badge = (text) => h('span', {class: 'badge'}, text);
	const named = (name, show) => {
		const value = answer.header.get(name);
		return value === null ? null : badge(show(value));
	};
	return h('p', {class: 'meta'}, badge(`${answer.status}`), badge(`${Math.max(1, Math.round(answer.took))} ms`),
		named('x-cache', (value) => `x-cache: ${value}`), named('x-credits-cost', (value) => `x-credits-cost: ${value}`));
}
