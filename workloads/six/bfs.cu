// level-synchronous BFS, one thread per vertex, CSR, Rodinia-like irregular accesses
extern "C" __global__ void bfs(const int*rowptr,const int*col,int*dist,int level,int*changed,int n){
  int v=blockIdx.x*blockDim.x+threadIdx.x; if(v>=n) return;
  if(dist[v]!=level) return;
  int e=rowptr[v+1];
  for(int i=rowptr[v];i<e;i++){ int u=col[i]; if(dist[u]<0){ dist[u]=level+1; *changed=1; } }
}
