import json, sys, urllib.request
headers = {"Authorization": "Bot bench", "Content-Type": "application/json"}
request = urllib.request.Request(sys.argv[1], json.dumps({"content": sys.argv[2]}).encode(), headers)
print(urllib.request.urlopen(request).read().decode())
